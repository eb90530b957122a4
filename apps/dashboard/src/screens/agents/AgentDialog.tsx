import type { AgentChange, AgentEndpoint } from "@agent-platform/client"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { AgentFields } from "./AgentFields.tsx"
import { type AgentSettings, type Draft, draftOf, isReadable, NO_DRAFT, settingsOf } from "./draft.ts"
import { EndpointSecret } from "./EndpointSecret.tsx"

interface AgentDialogProps<Saved> {
  readonly title: string
  readonly action: string
  /** The settings that are changed; absent for new ones. */
  readonly before?: AgentSettings
  readonly save: (settings: AgentChange & { readonly name: string }) => Promise<Saved>
  /** Called once it is saved, and its endpoint's secret, where there is a new one, was seen. */
  readonly onSaved: (saved: Saved) => unknown
  readonly onClose: () => void
}

/** The settings of an agent in a dialog. */
export const AgentDialog = <Saved extends { readonly endpoint: AgentEndpoint | null }>(
  props: AgentDialogProps<Saved>
) => {
  const start = props.before === undefined ? NO_DRAFT : draftOf(props.before)
  const [draft, setDraft] = useState<Draft>(start)
  const [saved, setSaved] = useState<Saved>()
  // Sent even if nobody has changed it: without one, the server takes another recipe than the form begins with.
  const sentRecipe = props.before === undefined ? { recipe: draft.recipe } : {}
  const save = useMutation({
    mutationFn: () => props.save({ ...settingsOf(draft, start), ...sentRecipe, name: draft.name }),
    onSuccess: (made) => (made.endpoint?.signing_secret ? setSaved(made) : props.onSaved(made))
  })
  if (saved?.endpoint?.signing_secret) {
    return <EndpointSecret secret={saved.endpoint.signing_secret} onClose={() => props.onSaved(saved)} />
  }
  return (
    <FormDialog
      title={props.title}
      action={props.action}
      pending={save.isPending}
      error={save.error}
      ready={draft.name.trim() !== "" && isReadable(draft)}
      onSubmit={() => save.mutate()}
      onClose={props.onClose}
    >
      <AgentFields draft={draft} onChange={setDraft} />
    </FormDialog>
  )
}
