import type { Member, NewWorkspaceGrant } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { inviteMember, membersQuery } from "../../api/organization.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { TextField } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { Select } from "../../ui/Select.tsx"

interface MemberDialogProps {
  /** Whose roles are changed; absent for an invitation. */
  readonly before?: Member
  readonly onClose: () => void
}

const ORGANIZATION_ROLES = [
  { value: "none", label: "Some workspaces" },
  { value: "admin", label: "Admin of all" },
  { value: "owner", label: "Owner" }
] as const

const WORKSPACE_ROLES = [
  { value: "none", label: "Not here" },
  { value: "viewer", label: "Viewer" },
  { value: "member", label: "Member" }
] as const

/** Invites somebody, or gives them other roles. */
export const MemberDialog = ({ before, onClose }: MemberDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [email, setEmail] = useState(before?.email ?? "")
  const [role, setRole] = useState<(typeof ORGANIZATION_ROLES)[number]["value"]>(before?.organization_role ?? "none")
  const [grants, setGrants] = useState<ReadonlyArray<NewWorkspaceGrant>>(before?.workspaces ?? [])
  const grant = (workspaceId: string, next: (typeof WORKSPACE_ROLES)[number]["value"]) => {
    const others = grants.filter(({ workspace_id }) => workspace_id !== workspaceId)
    setGrants(next === "none" ? others : [...others, { workspace_id: workspaceId, role: next }])
  }
  // Admins make no owners.
  const isAdmin = session.me.user?.role === "admin"
  const roles = isAdmin ? ORGANIZATION_ROLES.filter(({ value }) => value !== "owner") : ORGANIZATION_ROLES
  const save = useMutation({
    mutationFn: () =>
      inviteMember(session, {
        email: email.trim(),
        organization_role: role === "none" ? null : role,
        workspaces: grants
      }),
    onSuccess: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: membersQuery(session).queryKey })
    }
  })
  return (
    <FormDialog
      title={before === undefined ? "Invite somebody" : before.email}
      action={before?.status === "joined" ? "Save" : "Invite"}
      pending={save.isPending}
      error={save.error}
      ready={email.trim() !== "" && (role !== "none" || grants.length > 0)}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Email"
        member="email"
        type="email"
        required
        disabled={before !== undefined}
        value={email}
        onChange={setEmail}
        hint="They join by logging in with this address"
      />
      <div>
        <Select label="In the organization" value={role} choices={roles} onChange={setRole} />
      </div>
      {role === "none" && (
        <ul className="grid max-h-[240px] gap-1 overflow-auto" tabIndex={0} aria-label="Workspaces">
          {session.workspaces.map(({ id, name }) => (
            <li key={id}>
              <Select
                label={name}
                value={grants.find(({ workspace_id }) => workspace_id === id)?.role ?? "none"}
                choices={WORKSPACE_ROLES}
                onChange={(next) => grant(id, next)}
              />
            </li>
          ))}
        </ul>
      )}
    </FormDialog>
  )
}
