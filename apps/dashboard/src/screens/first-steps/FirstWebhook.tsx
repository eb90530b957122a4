import { useMutation } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { receiveAt } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { readTrial, type Trial } from "../../session/startLink.ts"
import { storedKey } from "../../session/stored.ts"
import { Button, buttonClasses } from "../../ui/Button.tsx"
import { Command } from "../../ui/Command.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { webhookCommand } from "./commands.ts"
import { ReceivedList } from "./ReceivedList.tsx"
import { Step } from "./Step.tsx"

interface FirstWebhookProps {
  /** Whether the listener has received one. */
  readonly isDone: boolean
  /** Called once the listener has received one. */
  readonly onReceived: () => void
}

const Listening = ({ isDone, onReceived, trial }: FirstWebhookProps & { readonly trial: Trial }) => {
  const { listener_url: listenerUrl, received_url: receivedUrl } = trial
  const session = useSession()
  const receive = useMutation({ mutationFn: () => receiveAt(session, listenerUrl) })
  return (
    <Step
      title="A first webhook"
      sentence="Every outcome is sent to your endpoints, signed. This one is on your machine: what it receives is shown here."
      isDone={isDone}
    >
      <ProblemNotice error={receive.error} />
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" disabled={receive.isPending} onClick={() => receive.mutate()}>
          {receive.isSuccess ? "Receive another webhook" : "Receive a webhook"}
        </Button>
        {receive.data && (
          <Link to="/webhooks/$endpointId" params={{ endpointId: receive.data }} className="text-accent underline">
            Look at its deliveries
          </Link>
        )}
      </div>
      <ReceivedList receivedUrl={receivedUrl} onReceived={onReceived} />
      <Command text={webhookCommand(location.origin, storedKey.read(), listenerUrl)} />
    </Step>
  )
}

/** Registers the first endpoint, at a click where `npm start` listens itself, and shows what arrives. */
export const FirstWebhook = ({ isDone, onReceived }: FirstWebhookProps) => {
  const trial = readTrial()
  if (trial !== undefined) return <Listening trial={trial} isDone={isDone} onReceived={onReceived} />
  return (
    <Step
      title="A first webhook"
      sentence="Every outcome is sent to your endpoints, signed, and again until it is taken."
      isDone={isDone}
    >
      <Link to="/webhooks" className={buttonClasses()}>
        Add an endpoint
      </Link>
      <Command text={webhookCommand(location.origin, undefined, undefined)} />
    </Step>
  )
}
