import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useEffect } from "react"
import { deliveryQuery, failAt, replayDelivery, rereadMillis } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import type { Listener } from "../../session/startLink.ts"
import { Button } from "../../ui/Button.tsx"
import { Command } from "../../ui/Command.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { AttemptList } from "../webhooks/AttemptList.tsx"
import { DeliveryState, REPLAYS_IT } from "../webhooks/states.tsx"
import { replayCommand, shownKey } from "./commands.ts"
import { Step, type StepState } from "./Step.tsx"

interface FirstFailureProps extends StepState {
  readonly listener: Listener
  readonly onBegin: () => void
  /** Called once a delivery that had failed has arrived. */
  readonly onDone: () => void
}

/** Has a delivery be refused, shows the attempt that failed, and sends it again. */
export const FirstFailure = ({ listener, onBegin, onDone, ...step }: FirstFailureProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const fail = useMutation({ mutationFn: () => failAt(session, listener), onMutate: onBegin })
  const { deliveryId = "", endpointId = "" } = fail.data ?? {}
  const { data: delivery, error } = useQuery({
    ...deliveryQuery(session, endpointId, deliveryId),
    enabled: fail.data !== undefined,
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : rereadMillis([data]))
  })
  const replay = useMutation({
    mutationFn: () => replayDelivery(session, endpointId, deliveryId),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks", "delivery", endpointId, deliveryId] })
  })
  const isSentAgain = delivery?.state === "delivered" && delivery.attempts.length > 1
  useEffect(() => {
    if (isSentAgain) onDone()
  }, [isSentAgain, onDone])
  const isFailing = delivery?.state === "pending" && delivery.attempts.length > 0
  return (
    <Step
      title="Let a delivery fail, and send it again"
      sentence="An endpoint that is down misses nothing: what it does not take is sent again by itself, after a minute and then for days, or by you, at once. Here the listener answers one test with 500."
      {...step}
    >
      <ProblemNotice error={fail.error ?? replay.error ?? error} />
      <div className="flex flex-wrap items-center gap-2">
        {isFailing ? (
          <Button kind="primary" title={REPLAYS_IT} disabled={replay.isPending} onClick={() => replay.mutate()}>
            Send again
          </Button>
        ) : (
          <Button kind="primary" disabled={fail.isPending} onClick={() => fail.mutate()}>
            {isSentAgain ? "Let another delivery fail" : "Let a delivery fail"}
          </Button>
        )}
        {delivery && <DeliveryState delivery={delivery} />}
        {delivery && (
          <Link
            to="/webhooks/$endpointId"
            params={{ endpointId }}
            search={{ delivery: deliveryId }}
            className="text-accent underline"
          >
            Look at the delivery
          </Link>
        )}
      </div>
      {delivery && <AttemptList attempts={delivery.attempts} />}
      <Command text={replayCommand(location.origin, shownKey(), fail.data)} />
    </Step>
  )
}
