import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useEffect } from "react"
import { endpointsQuery, receiveAt } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import type { Listener } from "../../session/startLink.ts"
import { Button, buttonClasses } from "../../ui/Button.tsx"
import { Command } from "../../ui/Command.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { shownKey, webhookCommand } from "./commands.ts"
import type { Received } from "./Received.ts"
import { ReceivedList } from "./ReceivedList.tsx"
import { Step, type StepState } from "./Step.tsx"

interface FirstWebhookProps extends StepState {
  /** Undefined where nothing listens for first steps. */
  readonly listener: Listener | undefined
  readonly received: ReadonlyArray<Received>
  readonly onBegin: () => void
  /** Called once one was received, or there is an endpoint where nothing listens. */
  readonly onDone: () => void
}

const Listening = ({
  listener,
  onBegin,
  onDone,
  received,
  ...step
}: FirstWebhookProps & { readonly listener: Listener }) => {
  const session = useSession()
  const queries = useQueryClient()
  const receive = useMutation({
    mutationFn: () => receiveAt(session, listener.listener_url),
    onMutate: onBegin,
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks", "endpoints"] })
  })
  const isReceived = received.length > 0
  useEffect(() => {
    if (isReceived) onDone()
  }, [isReceived, onDone])
  return (
    <Step
      title="A first webhook"
      sentence="Every outcome is sent to your endpoints, signed. This one is on your machine: what it receives is shown here."
      {...step}
    >
      <ProblemNotice error={receive.error} />
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" disabled={receive.isPending} onClick={() => receive.mutate()}>
          {receive.isSuccess ? "Receive another webhook" : "Receive a webhook"}
        </Button>
        {receive.data && (
          <Link to="/webhooks/$endpointId" params={receive.data} className="text-accent underline">
            Look at its deliveries
          </Link>
        )}
      </div>
      <ReceivedList received={received} />
      <Command text={webhookCommand(location.origin, shownKey(), listener.listener_url)} />
    </Step>
  )
}

const Registering = ({ onDone, ...step }: Pick<FirstWebhookProps, "onDone" | keyof StepState>) => {
  const session = useSession()
  const { data } = useInfiniteQuery({ ...endpointsQuery(session), enabled: session.can("webhooks:read") })
  const isRegistered = (data?.pages[0]?.items.length ?? 0) > 0
  useEffect(() => {
    if (isRegistered) onDone()
  }, [isRegistered, onDone])
  return (
    <Step
      title="A first webhook"
      sentence="Every outcome is sent to your endpoints, signed, and again until it is taken. It is done once there is an endpoint."
      {...step}
    >
      <Link to="/webhooks" className={buttonClasses()}>
        Add an endpoint
      </Link>
      <Command text={webhookCommand(location.origin, undefined, undefined)} />
    </Step>
  )
}

/** Registers the first endpoint, at a click where `npm start` listens itself, and shows what arrives. */
export const FirstWebhook = ({ listener, onBegin, onDone, received, ...step }: FirstWebhookProps) =>
  listener === undefined ? (
    <Registering onDone={onDone} {...step} />
  ) : (
    <Listening listener={listener} received={received} onBegin={onBegin} onDone={onDone} {...step} />
  )
