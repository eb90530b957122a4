import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Keys, ORGANIZATION_SCOPES, WORKSPACE_SCOPES } from "@agent-platform/keys"
import { Effect, Redacted } from "effect"

const SYSTEM = { type: "system", id: "admin", label: "admin" } as const

/**
 * A key with every scope of its kind, made by the operator: for the workspace, or for the organization when that is
 * null. Answers its value, which is shown nowhere again.
 */
export const makeKey = (
  owner: { readonly organizationId: OrganizationId; readonly workspaceId: WorkspaceId | null },
  name: string
) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { value: created } = yield* keys.createApiKey({
      owner,
      creator: { actor: SYSTEM, scopes: [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES], expiresAt: null },
      name,
      scopes: undefined,
      expiresAt: undefined,
      metadata: {},
      idempotency: undefined
    })
    if (created.value === null) return yield* Effect.die(new Error("A new key has a value"))
    return Redacted.value(created.value)
  }).pipe(Effect.orDie)

/** An organization with its first workspace and a key for each. */
export const found = (names: {
  readonly organization: string
  readonly workspace: string
  readonly timezone: string
}) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { organization, workspace } = yield* keys.foundOrganization({
      name: names.organization,
      workspaceName: names.workspace,
      timezone: names.timezone
    })
    const ofOrganization = { organizationId: organization.id, workspaceId: null }
    const ofWorkspace = { organizationId: organization.id, workspaceId: workspace.id }
    return {
      organization_id: organization.id,
      org_key: yield* makeKey(ofOrganization, "First key of the organization"),
      workspace_id: workspace.id,
      workspace_key: yield* makeKey(ofWorkspace, "First key of the workspace")
    }
  })
