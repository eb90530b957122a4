import { Button } from "../../ui/Button.tsx"
import { TextArea, TextField } from "../../ui/Field.tsx"
import { jsonText } from "../../ui/jsonText.ts"
import { LongText } from "../../ui/LongText.tsx"
import { Select } from "../../ui/Select.tsx"
import { type CallDraft, isSound } from "./callReplies.ts"
import type { WaitingCall } from "./runState.ts"

const DECISIONS = [
  { value: "open", label: "Undecided" },
  { value: "approve", label: "Approve" },
  { value: "deny", label: "Deny" }
] as const

const RESULTS = [
  { value: "result", label: "It worked" },
  { value: "error", label: "It failed" }
] as const

interface CallFormProps {
  readonly call: WaitingCall
  readonly isApproval: boolean
  readonly draft: CallDraft
  readonly onChange: (draft: CallDraft) => void
}

/** The fields that the draft's choice asks for. */
const ChoiceFields = ({
  asked,
  draft,
  onChange
}: Omit<CallFormProps, "call" | "isApproval"> & { readonly asked: string }) => {
  switch (draft.choice) {
    case "approve":
      return draft.input === null ? (
        <div>
          <Button onClick={() => onChange({ ...draft, input: asked })}>Edit the arguments</Button>
        </div>
      ) : (
        <TextArea
          label="Arguments"
          hint={isSound(draft) ? "The call is made with these." : "This is no object of JSON yet."}
          className="font-mono text-sm"
          rows={4}
          value={draft.input}
          onChange={(input) => onChange({ ...draft, input })}
        />
      )
    case "deny":
      return (
        <TextField
          label="Reason"
          hint="The agent reads it. It may be left out."
          value={draft.text}
          onChange={(text) => onChange({ ...draft, text })}
        />
      )
    case "open":
      return null
    default:
      return (
        <TextArea
          label={draft.choice === "error" ? "Error" : "Result"}
          hint="JSON, or else a text."
          rows={2}
          value={draft.text}
          onChange={(text) => onChange({ ...draft, text })}
        />
      )
  }
}

/** One call of a tool: what it asks for, and the answer to it. */
export const CallForm = ({ call, draft, isApproval, onChange }: CallFormProps) => {
  const asked = jsonText(call.input ?? {})
  return (
    <fieldset className="grid grid-cols-1 gap-2 rounded-md border border-line p-3">
      <legend className="foreign px-1 font-mono">{call.name}</legend>
      {draft.input === null && <LongText mono text={asked} />}
      <div>
        {isApproval ? (
          <Select
            label="Decision"
            value={draft.choice}
            choices={DECISIONS}
            onChange={(choice) => onChange({ ...draft, choice, input: null, text: "" })}
          />
        ) : (
          <Select
            label="Outcome"
            value={draft.choice}
            choices={RESULTS}
            onChange={(choice) => onChange({ ...draft, choice })}
          />
        )}
      </div>
      <ChoiceFields asked={asked} draft={draft} onChange={onChange} />
    </fieldset>
  )
}
