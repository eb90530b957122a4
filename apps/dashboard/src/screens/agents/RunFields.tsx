import { TextArea } from "../../ui/Field.tsx"
import type { RunDraft } from "./useTrigger.ts"

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
      value={draft.input}
      onChange={(input) => onChange({ ...draft, input })}
    />
  </>
)
