import type { Workspace } from "@agent-platform/client"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { createWorkspace, updateWorkspace } from "../../api/organization.ts"
import { useSession, useSessionActions } from "../../session/SessionContext.tsx"
import { Check } from "../../ui/CheckList.tsx"
import { TextField } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"

interface WorkspaceDialogProps {
  /** The workspace that is changed; absent for a new one. */
  readonly before?: Workspace
  readonly onClose: () => void
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim())

/** Makes a workspace, or changes its name, its cap and what it allows. */
export const WorkspaceDialog = ({ before, onClose }: WorkspaceDialogProps) => {
  const session = useSession()
  const { renew } = useSessionActions()
  const [name, setName] = useState(before?.name ?? "")
  const [zone, setZone] = useState(before?.timezone ?? "UTC")
  const [cap, setCap] = useState(before?.monthly_cap_usd ?? "")
  const [days, setDays] = useState(before?.retention_days?.toString() ?? "")
  const [allowed, setAllowed] = useState(before?.allow_platform_keys ?? false)
  const save = useMutation({
    mutationFn: () => {
      const body = {
        name,
        monthly_cap_usd: orNull(cap),
        retention_days: days.trim() === "" ? null : Number(days),
        allow_platform_keys: allowed
      }
      // A new zone holds from the next month on. Sending the present one would cancel such a change, so it is left out.
      const settings = before?.timezone === zone ? body : { ...body, timezone: zone }
      return before === undefined ? createWorkspace(session, settings) : updateWorkspace(session, before.id, settings)
    },
    onSuccess: () => {
      onClose()
      // The session holds the workspaces that can be chosen, with their names.
      return renew()
    }
  })
  return (
    <FormDialog
      title={before === undefined ? "New workspace" : `Change ${before.name}`}
      action={before === undefined ? "Create the workspace" : "Save"}
      pending={save.isPending}
      error={save.error}
      ready={name.trim() !== ""}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" member="name" required value={name} onChange={setName} />
      <TextField
        label="Cap of a month, in USD"
        member="monthly_cap_usd"
        inputMode="decimal"
        value={cap}
        onChange={setCap}
        hint="Runs that would go beyond it do not begin. Leave empty: no cap"
      />
      <TextField
        label="Time zone"
        member="timezone"
        required
        spellCheck={false}
        value={zone}
        onChange={setZone}
        hint="Its months and days are those of this zone, such as Europe/Berlin"
      />
      <TextField
        label="Days that runs are kept"
        member="retention_days"
        inputMode="numeric"
        pattern="[0-9]*"
        value={days}
        onChange={setDays}
        hint="Leave empty: for ever"
      />
      <Check label="May use the platform's keys of model providers" checked={allowed} onChange={setAllowed} />
    </FormDialog>
  )
}
