import type { Delivery } from "@agent-platform/client"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { deliveryQuery, mayOperate, replayDelivery } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { CopyId } from "../../ui/Copy.tsx"
import { Dialog, footClasses } from "../../ui/Dialog.tsx"
import { LongText } from "../../ui/LongText.tsx"
import { duration } from "../../ui/numbers.ts"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Time } from "../../ui/Time.tsx"
import { DeliveryState, EventKind } from "./states.tsx"

const AttemptView = ({ attempt }: { readonly attempt: Delivery["attempts"][number] }) => (
  <li className="grid gap-1 border-t border-line py-2">
    <p className="flex flex-wrap gap-x-3">
      <span className="font-medium">Attempt {attempt.number}</span>
      <span>
        {attempt.response_code === null ? (attempt.error ?? "No answer") : `Answered ${attempt.response_code}`}
      </span>
      <span className="text-muted">
        <Time at={attempt.attempted_at} /> · {duration(attempt.duration_ms)}
        {attempt.remote_ip !== null && ` · ${attempt.remote_ip}`}
      </span>
    </p>
    {attempt.response_excerpt !== null && attempt.response_excerpt !== "" && (
      <LongText mono text={attempt.response_excerpt} />
    )}
  </li>
)

interface DeliveryDialogProps {
  readonly endpointId: string
  readonly deliveryId: string
  readonly isTest: boolean
  readonly onClose: () => void
}

/** A delivery with every attempt that is kept; it can be sent again. */
export const DeliveryDialog = ({ deliveryId, endpointId, isTest, onClose }: DeliveryDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const { data: delivery, error } = useQuery({
    ...deliveryQuery(session, endpointId, deliveryId),
    refetchInterval: ({ state }) => (state.data?.state === "pending" ? 2_000 : false)
  })
  const replay = useMutation({
    mutationFn: () => replayDelivery(session, endpointId, deliveryId),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks"] })
  })
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Delivery">
      <div className="grid gap-3">
        <ProblemNotice error={error ?? replay.error} />
        {delivery === undefined && error === null && <Skeleton rows={3} />}
        {delivery !== undefined && (
          <>
            <p className="flex flex-wrap items-center gap-x-4">
              <DeliveryState delivery={delivery} />
              <span>
                <EventKind type={delivery.event_type} isTest={isTest} />
              </span>
              <CopyId id={delivery.delivery_id} label="delivery" />
            </p>
            {delivery.attempts.length === 0 ? (
              <p className="text-muted">It was not sent yet.</p>
            ) : (
              <ol>
                {delivery.attempts.toReversed().map((attempt) => (
                  <AttemptView key={`${attempt.number} ${attempt.attempted_at}`} attempt={attempt} />
                ))}
              </ol>
            )}
            {mayOperate(session) && delivery.attempts.length > 0 && (
              <div className={footClasses}>
                <Button kind="primary" disabled={replay.isPending} onClick={() => replay.mutate()}>
                  {delivery.state === "pending" ? "Send now" : "Send again"}
                </Button>
              </div>
            )}
          </>
        )}
      </div>
    </Dialog>
  )
}
