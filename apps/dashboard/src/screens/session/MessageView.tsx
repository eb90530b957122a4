import type { Message } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import { classes } from "../../ui/classes.ts"
import { jsonText } from "../../ui/jsonText.ts"
import { LongText } from "../../ui/LongText.tsx"
import { Status } from "../../ui/Status.tsx"
import { Time } from "../../ui/Time.tsx"
import { EarlierWords } from "./EarlierWords.tsx"

/** How a message's box is drawn: the caller's at the right, the agent's at the left. */
export const bubbleClasses = (isOfAgent: boolean): string =>
  classes(
    "grid max-w-[min(640px,92%)] gap-1 rounded-lg border border-line px-3 py-2",
    isOfAgent ? "justify-self-start bg-panel" : "justify-self-end bg-tint"
  )

interface MessageViewProps {
  readonly message: Message
  readonly isNewest: boolean
}

/** One message, as text and never as anything else. */
export const MessageView = ({ isNewest, message }: MessageViewProps) => {
  const isOfAgent = message.role === "agent"
  return (
    <li className={bubbleClasses(isOfAgent)}>
      <p className="flex flex-wrap items-baseline gap-x-3 text-sm text-muted">
        <span className="font-medium text-ink">{isOfAgent ? "Agent" : "Caller"}</span>
        {message.question && <Status tone="warn" word="Question" />}
        {message.decision !== null && <span className="foreign">Decision: {message.decision}</span>}
        <Link
          to="/runs/$runId"
          params={{ runId: message.run_id }}
          className="font-mono text-accent underline"
          title={message.run_id}
        >
          {message.run_id.slice(-8)}
        </Link>
        <Time at={message.created_at} />
      </p>
      {message.question && <EarlierWords runId={message.run_id} question={message.message} isOpen={isNewest} />}
      <LongText text={message.message} />
      {message.data !== null && message.data !== undefined && <LongText mono text={jsonText(message.data)} />}
    </li>
  )
}
