import { TextArea } from "../../ui/Field.tsx"
import { isReadable, type RunDraft } from "./useTrigger.ts"

interface RunFieldsProps {
  readonly draft: RunDraft
  readonly onChange: (draft: RunDraft) => void
}

/** The boxes for the message and the input of a run. */
export const RunFields = ({ draft, onChange }: RunFieldsProps) => (
  <>
    <TextArea
      label="Message"
      member="message"
      rows={3}
      value={draft.message}
      onChange={(message) => onChange({ ...draft, message })}
    />
    <TextArea
      label="Input, as JSON"
      member="input"
      rows={5}
      className="font-mono text-sm"
      spellCheck={false}
      {...(isReadable(draft) ? {} : { hint: "This is no JSON yet." })}
      value={draft.input}
      onChange={(input) => onChange({ ...draft, input })}
    />
  </>
)
