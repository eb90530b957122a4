import { type FormEvent, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { TextArea } from "../../ui/Field.tsx"
import { LongText } from "../../ui/LongText.tsx"
import { Select } from "../../ui/Select.tsx"
import type { Reply } from "./ReplyPanel.tsx"
import type { Waiting } from "./runState.ts"

interface CallsFormProps {
  readonly waiting: Extract<Waiting, { readonly for: "approvals" | "tool_calls" }>
  readonly pending: boolean
  readonly onReply: (reply: Reply) => void
}

type Decision = "open" | "approve" | "deny"

const DECISIONS = [
  { value: "open", label: "Undecided" },
  { value: "approve", label: "Approve" },
  { value: "deny", label: "Deny" }
] as const

/** The value of a text: JSON where it is some, else the text. */
const outputOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Decisions on calls of tools, or their results. What is left open is asked again. */
export const CallsForm = ({ onReply, pending, waiting }: CallsFormProps) => {
  const [decisions, setDecisions] = useState<Readonly<Record<string, Decision>>>({})
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({})
  const isApproval = waiting.for === "approvals"
  const approvals = waiting.calls.flatMap(({ tool_call_id }) => {
    const decision = decisions[tool_call_id] ?? "open"
    return decision === "open" ? [] : [{ tool_call_id, decision }]
  })
  const results = waiting.calls.flatMap(({ tool_call_id }) => {
    const text = outputs[tool_call_id] ?? ""
    return text === "" ? [] : [{ tool_call_id, output: outputOf(text) }]
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    onReply(isApproval ? { approvals } : { tool_results: results })
  }
  return (
    <form onSubmit={send} className="grid gap-3">
      <ul className="grid gap-3">
        {waiting.calls.map(({ input, name, tool_call_id }) => (
          <li key={tool_call_id} className="grid gap-2 rounded-md border border-line p-3">
            <div className="flex flex-wrap items-center gap-3">
              <span className="mr-auto font-mono">{name}</span>
              {isApproval && (
                <Select
                  label="Decision"
                  value={decisions[tool_call_id] ?? "open"}
                  choices={DECISIONS}
                  onChange={(decision) => setDecisions({ ...decisions, [tool_call_id]: decision })}
                />
              )}
            </div>
            <LongText mono text={JSON.stringify(input, null, 2) ?? ""} />
            {!isApproval && (
              <TextArea
                label="Result"
                rows={2}
                value={outputs[tool_call_id] ?? ""}
                onChange={(text) => setOutputs({ ...outputs, [tool_call_id]: text })}
              />
            )}
          </li>
        ))}
      </ul>
      <div className="flex justify-end">
        <Button type="submit" kind="primary" disabled={pending || (isApproval ? approvals : results).length === 0}>
          {isApproval ? "Send the decisions" : "Send the results"}
        </Button>
      </div>
    </form>
  )
}
