import { type FormEvent, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { CallForm } from "./CallForm.tsx"
import { type CallDraft, emptyDraft, replyOf } from "./callReplies.ts"
import type { Reply } from "./ReplyPanel.tsx"
import type { Waiting, WaitingCall } from "./runState.ts"

interface CallsFormProps {
  readonly waiting: Extract<Waiting, { readonly for: "approvals" | "tool_calls" }>
  readonly pending: boolean
  readonly onReply: (reply: Reply) => void
}

/** Decisions on calls of tools, or their results. What is left open is asked again. */
export const CallsForm = ({ onReply, pending, waiting }: CallsFormProps) => {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, CallDraft>>(new Map())
  const draftOf = ({ tool_call_id }: WaitingCall) => drafts.get(tool_call_id) ?? emptyDraft(waiting.for)
  const reply = replyOf(waiting.for, waiting.calls, draftOf)
  const isApproval = waiting.for === "approvals"
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (reply !== undefined) onReply(reply)
  }
  return (
    <form onSubmit={send} className="grid grid-cols-1 gap-3">
      {waiting.calls.map((call) => (
        <CallForm
          key={call.tool_call_id}
          call={call}
          isApproval={isApproval}
          draft={draftOf(call)}
          onChange={(draft) => setDrafts(new Map(drafts).set(call.tool_call_id, draft))}
        />
      ))}
      <div className="flex justify-end">
        <Button type="submit" kind="primary" disabled={pending || reply === undefined}>
          {isApproval ? "Send the decisions" : "Send the results"}
        </Button>
      </div>
    </form>
  )
}
