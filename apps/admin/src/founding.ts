import { UnitOfWork } from "@agent-platform/kernel"
import { type KeyOwner, Keys, type Scope, Tenancy } from "@agent-platform/keys"
import { Effect, Redacted } from "effect"
import { GRANTOR } from "./operator.ts"

/**
 * A key made by the operator, for the workspace, or for the organization when that is null: with these scopes, or every default
 * scope of its kind when that is undefined. Returns it with its value, which is shown nowhere again. Fails with ScopeNotGrantable
 * for a scope that a key of its kind cannot have.
 */
export const makeKey = (owner: KeyOwner, name: string, scopes?: ReadonlyArray<Scope>) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { value: created } = yield* keys.createApiKey({
      owner,
      creator: GRANTOR,
      name,
      scopes,
      expiresAt: undefined,
      allowedIps: undefined,
      rateLimit: null,
      metadata: {},
      idempotency: undefined
    })
    if (created.value === null) return yield* Effect.die(new Error("A new key has a value"))
    return { key: created.key, value: Redacted.value(created.value) }
  }).pipe(Effect.catchIf((error) => error._tag !== "ScopeNotGrantable", Effect.die))

/**
 * An organization with its first workspace, a key for each, and its first owner invited if one is named; all of it or
 * nothing. Fails with TimezoneUnknown or InvitationInvalid.
 */
export const foundWithKeys = Effect.fnUntraced(function* (names: {
  readonly organization: string
  readonly workspace: string
  readonly timezone: string
  readonly ownerEmail: string | undefined
}) {
  const tenancy = yield* Tenancy
  const unit = yield* UnitOfWork
  return yield* unit.atomic(
    Effect.gen(function* () {
      const { organization, owner, workspace } = yield* tenancy.foundOrganization({
        name: names.organization,
        workspaceName: names.workspace,
        timezone: names.timezone,
        ownerEmail: names.ownerEmail
      })
      const ofOrganization = { organizationId: organization.id, workspaceId: null }
      const ofWorkspace = { organizationId: organization.id, workspaceId: workspace.id }
      return {
        organization_id: organization.id,
        org_key: (yield* Effect.orDie(makeKey(ofOrganization, "First key of the organization"))).value,
        workspace_id: workspace.id,
        workspace_key: (yield* Effect.orDie(makeKey(ofWorkspace, "First key of the workspace"))).value,
        owner: owner === null ? null : { id: owner.id, email: owner.email, status: "invited" as const }
      }
    })
  )
})
