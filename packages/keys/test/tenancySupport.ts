/** Organizations, workspaces and members over memory. */
import type { OrganizationCaller, OrganizationId, WorkspaceCaller } from "@agent-platform/kernel"
import { UnitOfWork } from "@agent-platform/kernel"
import { feedTables, layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import {
  type InviteMember,
  type KeyGrantor,
  type Member,
  MemberStore,
  type OrganizationRole,
  type Spending,
  type SpendPeriod,
  scopesOfRole,
  Tenancy,
  WorkspaceSpend
} from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { aUser } from "@agent-platform/keys/testing"
import { DateTime, Effect, Layer } from "effect"

/** Spending of workspaces, and the questions for it. */
export const makeSpend = (spending: Spending) => {
  const asked: Array<readonly [SpendPeriod, string | null]> = []
  const layer = Layer.succeed(WorkspaceSpend, {
    read: (_workspaceId, period, capUsd) =>
      Effect.sync(() => {
        asked.push([period, capUsd])
        return spending
      })
  })
  return { asked, layer }
}

/** Tenancy over memory, where nothing is spent by default. */
export const memory = (spend: Layer.Layer<WorkspaceSpend> = WorkspaceSpend.layerNothing) =>
  Tenancy.layer.pipe(Layer.provide(spend), Layer.provideMerge(stores), Layer.provideMerge(kernel), Layer.fresh)

/** A new organization with one workspace, and somebody who acts for it. */
export const founded = Effect.gen(function* () {
  const tenancy = yield* Tenancy
  const { organization, workspace } = yield* Effect.orDie(
    tenancy.foundOrganization({ name: "Acme", workspaceName: "Production", timezone: "Europe/Berlin" })
  )
  const caller: WorkspaceCaller = aCaller({ organizationId: organization.id, workspaceId: workspace.id })
  return { organization, workspace, caller }
})

/** A person with this role in the organization. */
export const personOf = ({ actor }: OrganizationCaller, role: OrganizationRole): KeyGrantor => ({
  actor,
  scopes: scopesOfRole(role),
  key: null,
  session: null,
  role
})

/** The invitation of an admin, by default by an owner. */
export const anInvitation = (
  caller: WorkspaceCaller,
  email: string,
  override: Partial<InviteMember> = {}
): InviteMember => ({
  caller,
  by: personOf(caller, "owner"),
  email,
  organizationRole: "admin",
  workspaces: [],
  idempotency: undefined,
  ...override
})

export const invite = (caller: WorkspaceCaller, email: string, override: Partial<InviteMember> = {}) =>
  Tenancy.use((tenancy) => tenancy.inviteMember(anInvitation(caller, email, override))).pipe(
    Effect.map(({ value }) => value)
  )

/** Lets somebody log in with the member's address. */
export const join = (member: Member) =>
  Effect.gen(function* () {
    const store = yield* MemberStore
    const unit = yield* UnitOfWork
    const user = aUser({ email: member.email })
    const at = yield* DateTime.now
    yield* unit.atomic(Effect.andThen(store.putUser(user), store.takeUp(member.email, user, at)))
    return user
  })

/** An owner who has joined. */
export const anOwner = (caller: WorkspaceCaller, email: string) =>
  Effect.tap(invite(caller, email, { organizationRole: "owner" }), join)

/** The organization's feed, oldest first. */
export const activityOf = (organizationId: OrganizationId) =>
  MemoryDatabase.use((database) =>
    Effect.map(feedTables(database).activity.all, (all) =>
      all.filter((entry) => entry.organizationId === organizationId)
    )
  )
