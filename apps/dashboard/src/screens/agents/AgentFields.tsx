import { TextArea, TextField } from "../../ui/Field.tsx"
import { type Draft, isReadable } from "./draft.ts"

interface AgentFieldsProps {
  readonly draft: Draft
  readonly disabled?: boolean
  readonly onChange: (draft: Draft) => void
}

/** The settings of an agent. */
export const AgentFields = ({ disabled = false, draft, onChange }: AgentFieldsProps) => {
  const box = (field: keyof Draft) => ({
    value: draft[field],
    disabled,
    onChange: (text: string) => onChange({ ...draft, [field]: text })
  })
  return (
    <>
      <TextField label="Name" required {...box("name")} />
      <TextField label="Description" {...box("description")} />
      <TextField label="Recipe" required hint="chat, http, or one of your own" spellCheck={false} {...box("recipe")} />
      {draft.recipe === "http" ? (
        <TextField label="URL of your program" type="url" placeholder="https://…" {...box("url")} />
      ) : (
        <TextField label="Model" placeholder="openai/gpt-5" spellCheck={false} {...box("model")} />
      )}
      <TextArea label="Instructions" rows={6} {...box("instructions")} />
      <TextField label="Tools" hint="With commas between them" spellCheck={false} {...box("tools")} />
      <TextField label="Most that a run may cost, in USD" inputMode="decimal" {...box("maxCost")} />
      <TextArea
        label="Other settings, as JSON"
        rows={4}
        className="font-mono text-sm"
        spellCheck={false}
        hint={isReadable(draft) ? "Such as temperature, output_schema, mcp_servers" : "This is no object of JSON yet."}
        {...box("others")}
      />
    </>
  )
}
