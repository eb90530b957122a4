import type { Endpoint } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { registerEndpoint, updateEndpoint } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { CheckList } from "../../ui/CheckList.tsx"
import { TextField, UrlField } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SecretDialog } from "../../ui/SecretDialog.tsx"
import { EVENT_TYPES, type EventType, USUAL_TYPES } from "./eventTypes.ts"

interface EndpointDialogProps {
  /** The endpoint that is changed; absent for a new one. */
  readonly before?: Endpoint
  readonly onClose: () => void
}

/** Registers an endpoint, whose secret is shown this once, or changes one. */
export const EndpointDialog = ({ before, onClose }: EndpointDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [url, setUrl] = useState(before?.url ?? "")
  const [description, setDescription] = useState(before?.description ?? "")
  const [types, setTypes] = useState<ReadonlyArray<EventType>>(
    EVENT_TYPES.filter((type) => before?.event_types.includes(type))
  )
  const [places, setPlaces] = useState<ReadonlyArray<string>>(before?.workspace_ids ?? [])
  const [secret, setSecret] = useState<string | null>()
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        url: url.trim(),
        description: description.trim() === "" ? null : description.trim(),
        event_types: types,
        workspace_ids: places
      }
      if (before === undefined) setSecret((await registerEndpoint(session, body)).secret)
      else {
        await updateEndpoint(session, before.id, body)
        onClose()
      }
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks"] })
  })
  if (secret !== undefined) {
    return (
      <SecretDialog
        title="The secret of the endpoint"
        secret={secret}
        sentence="The receiver verifies with it that events come from here."
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      title={before === undefined ? "New endpoint" : "Change the endpoint"}
      action={before === undefined ? "Register" : "Save"}
      pending={save.isPending}
      error={save.error}
      ready={url.trim() !== ""}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <UrlField label="Address" member="url" required value={url} onChange={setUrl} />
      <TextField
        label="Description"
        member="description"
        maxLength={500}
        value={description}
        onChange={setDescription}
      />
      <CheckList
        member="event_types"
        label="Events"
        hint={`Without a choice: ${USUAL_TYPES.join(", ")}`}
        choices={EVENT_TYPES.map((type) => ({ value: type, label: type }))}
        chosen={types}
        onChange={setTypes}
      />
      {session.workspaces.length > 0 && (
        <CheckList
          member="workspace_ids"
          label="Workspaces"
          hint="Without a choice: all of them, and events about the organization"
          choices={session.workspaces.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={places}
          onChange={setPlaces}
        />
      )}
    </FormDialog>
  )
}
