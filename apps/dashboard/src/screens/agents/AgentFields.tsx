import { TextArea, TextField, UrlField } from "../../ui/Field.tsx"
import { type Draft, isReadable, otherMembers } from "./draft.ts"

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
      <TextField label="Name" member="name" required {...box("name")} />
      <TextField label="Description" member="description" {...box("description")} />
      <TextField
        label="Recipe"
        member="recipe"
        required
        hint="chat, http, or one of your own"
        spellCheck={false}
        {...box("recipe")}
      />
      {draft.recipe === "http" ? (
        <UrlField label="URL of your program" member="endpoint" {...box("url")} />
      ) : (
        <TextField label="Model" member="model" placeholder="openai/gpt-5" spellCheck={false} {...box("model")} />
      )}
      <TextArea label="Instructions" member="instructions" rows={6} {...box("instructions")} />
      <TextField label="Tools" member="tools" hint="With commas between them" spellCheck={false} {...box("tools")} />
      <TextField
        label="Most that a run may cost, in USD"
        member="max_cost_usd"
        inputMode="decimal"
        {...box("maxCost")}
      />
      <TextArea
        label="Other settings, as JSON"
        member={otherMembers(draft)}
        rows={4}
        className="font-mono text-sm"
        spellCheck={false}
        hint={isReadable(draft) ? "Such as temperature, output_schema, mcp_servers" : "This is no object of JSON yet."}
        {...box("others")}
      />
    </>
  )
}
