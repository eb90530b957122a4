import type { Member, NewWorkspaceGrant } from "@agent-platform/client"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { loginProvidersQuery } from "../../api/login.ts"
import { inviteMember, membersQuery } from "../../api/organization.ts"
import type { Session } from "../../session/Session.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { TextField } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SelectField } from "../../ui/Select.tsx"

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

/** The workspace roles that an invitation begins with: where the organization has one workspace alone, those invited see it. */
const firstGrants = ({ workspaces: [only, ...others] }: Session): ReadonlyArray<NewWorkspaceGrant> =>
  only === undefined || others.length > 0 ? [] : [{ workspace_id: only.id, role: "viewer" }]

/** Invites somebody, or gives them other roles. */
export const MemberDialog = ({ before, onClose }: MemberDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [email, setEmail] = useState(before?.email ?? "")
  const [role, setRole] = useState<(typeof ORGANIZATION_ROLES)[number]["value"]>(before?.organization_role ?? "none")
  const [grants, setGrants] = useState<ReadonlyArray<NewWorkspaceGrant>>(before?.workspaces ?? firstGrants(session))
  const grant = (workspaceId: string, next: (typeof WORKSPACE_ROLES)[number]["value"]) => {
    const others = grants.filter(({ workspace_id }) => workspace_id !== workspaceId)
    setGrants(next === "none" ? others : [...others, { workspace_id: workspaceId, role: next }])
  }
  // An admin cannot make anybody an owner.
  const isAdmin = session.me.user?.role === "admin"
  const roles = isAdmin ? ORGANIZATION_ROLES.filter(({ value }) => value !== "owner") : ORGANIZATION_ROLES
  const hasRole = role !== "none" || grants.length > 0
  const { data: providers } = useQuery(loginProvidersQuery)
  const save = useMutation({
    // Inviting a member again gives them these roles.
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
      ready={email.trim() !== "" && hasRole}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {providers?.length === 0 && (
        <p className="rounded-md bg-warn-tint p-3">
          No login provider is set up here, so nobody can join by an invitation. How to set one up stands in{" "}
          <code className="font-mono">docs/operations.md</code>, “Logins”.
        </p>
      )}
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
      <SelectField label="In the organization" value={role} choices={roles} onChange={setRole} />
      {role === "none" && (
        <ul className="grid gap-3" aria-label="Workspaces">
          {session.workspaces.map(({ id, name }) => (
            <li key={id}>
              <SelectField
                label={name}
                value={grants.find(({ workspace_id }) => workspace_id === id)?.role ?? "none"}
                choices={WORKSPACE_ROLES}
                onChange={(next) => grant(id, next)}
              />
            </li>
          ))}
        </ul>
      )}
      {!hasRole && <p className="text-muted">Choose a role in a workspace or in the organization.</p>}
    </FormDialog>
  )
}
