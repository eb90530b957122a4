/** Invitations and their outcomes. Spec: OAuth. */
import { WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { MemberId, MemberStore, Tenancy, type WorkspaceGrant } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { activityOf, anInvitation, anOwner, founded, invite, join, memory, personOf } from "./tenancySupport.ts"

const ADA = "ada@example.com"

describe("inviting a member", () => {
  it.effect("stores the invitation under the address in its one form, and reports it", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const { caller, workspace } = yield* founded
      const workspaces: ReadonlyArray<WorkspaceGrant> = [{ workspaceId: workspace.id, role: "viewer" }]
      const member = yield* invite(caller, " ADA@example.com ", { organizationRole: null, workspaces })
      assert.deepInclude(member, { email: ADA, organizationRole: null, workspaces, user: null, joinedAt: null })
      assert.deepStrictEqual(member.invitedBy, caller.actor)
      assert.deepStrictEqual(yield* store.findByEmail(caller.organizationId, ADA), member)
      const entry = (yield* activityOf(caller.organizationId)).at(-1)
      assert.deepInclude(entry, { action: "member.invited", workspaceId: null, resourceId: member.id })
      assert.deepStrictEqual(entry?.payload, {
        email: ADA,
        organization_role: null,
        workspaces: [{ workspace_id: workspace.id, role: "viewer" }]
      })
    }).pipe(Effect.provide(memory()))
  )

  it.effect("gives a member of the address another part, and leaves who joined", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const { caller, workspace } = yield* founded
      const member = yield* invite(caller, ADA)
      const user = yield* join(member)
      const workspaces: ReadonlyArray<WorkspaceGrant> = [{ workspaceId: workspace.id, role: "member" }]
      const changed = yield* invite(caller, "Ada@Example.com", { organizationRole: null, workspaces })
      assert.deepInclude(changed, {
        id: member.id,
        organizationRole: null,
        workspaces,
        user: { id: user.id, name: user.name }
      })
      assert.deepStrictEqual(yield* store.find(caller.organizationId, member.id), changed)
      const entry = (yield* activityOf(caller.organizationId)).at(-1)
      assert.deepInclude(entry, { action: "member.updated", resourceId: member.id })
    }).pipe(Effect.provide(memory()))
  )

  it.effect("records nothing where nothing changes", () =>
    Effect.gen(function* () {
      const { caller } = yield* founded
      const member = yield* invite(caller, ADA)
      const before = yield* activityOf(caller.organizationId)
      assert.deepStrictEqual(yield* invite(caller, ADA), member)
      assert.deepStrictEqual(yield* activityOf(caller.organizationId), before)
    }).pipe(Effect.provide(memory()))
  )

  it.effect("finds no workspace of another organization, exactly as no unknown one, and invites nobody", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const tenancy = yield* Tenancy
      const [mine, foreign] = [yield* founded, yield* founded]
      const own = { workspaceId: mine.workspace.id, role: "member" } as const
      for (const workspaceId of [foreign.workspace.id, anId(WorkspaceId)]) {
        const workspaces = [own, { workspaceId, role: "member" } as const]
        const refused = yield* Effect.flip(tenancy.inviteMember(anInvitation(mine.caller, ADA, { workspaces })))
        assert.strictEqual(refused._tag, "WorkspaceNotFound")
      }
      assert.isUndefined(yield* store.findByEmail(mine.caller.organizationId, ADA))
    }).pipe(Effect.provide(memory()))
  )

  it.effect("refuses what is no address and what is no part", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller } = yield* founded
      const address = yield* Effect.flip(tenancy.inviteMember(anInvitation(caller, "ada")))
      assert.deepInclude(address, { _tag: "InvitationInvalid", field: "email" })
      const part = yield* Effect.flip(tenancy.inviteMember(anInvitation(caller, ADA, { organizationRole: null })))
      assert.deepInclude(part, { _tag: "InvitationInvalid", field: "organizationRole" })
    }).pipe(Effect.provide(memory()))
  )

  it.effect("lets no admin make an owner, or change one", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller } = yield* founded
      const owner = yield* invite(caller, ADA, { organizationRole: "owner" })
      const attempts = [
        anInvitation(caller, "bob@example.com", { by: personOf(caller, "admin"), organizationRole: "owner" }),
        anInvitation(caller, owner.email, { by: personOf(caller, "admin"), organizationRole: "admin" })
      ]
      for (const attempt of attempts) {
        assert.strictEqual((yield* Effect.flip(tenancy.inviteMember(attempt)))._tag, "RoleNotGrantable")
      }
      yield* invite(caller, "carol@example.com", { by: personOf(caller, "admin") })
    }).pipe(Effect.provide(memory()))
  )

  it.effect("leaves the last owner who has joined an owner", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller } = yield* founded
      yield* anOwner(caller, ADA)
      const demotion = anInvitation(caller, ADA)
      yield* invite(caller, "bob@example.com", { organizationRole: "owner" })
      assert.strictEqual((yield* Effect.flip(tenancy.inviteMember(demotion)))._tag, "LastOwner")
      yield* anOwner(caller, "carol@example.com")
      assert.strictEqual((yield* tenancy.inviteMember(demotion)).value.organizationRole, "admin")
    }).pipe(Effect.provide(memory()))
  )

  it.effect("answers a repeated request with the member as it is by now, and not once it is gone", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller } = yield* founded
      const idempotency = { scope: caller.organizationId, route: "POST", key: "k", bodyHash: "a".repeat(64) }
      const invitation = anInvitation(caller, ADA, { idempotency })
      const { value } = yield* tenancy.inviteMember(invitation)
      const changed = yield* invite(caller, ADA, { organizationRole: "owner" })
      assert.deepStrictEqual(yield* tenancy.inviteMember(invitation), { value: changed, replayed: true })
      yield* tenancy.removeMember({ caller, by: personOf(caller, "owner"), id: value.id })
      assert.strictEqual((yield* Effect.flip(tenancy.inviteMember(invitation)))._tag, "MemberNotFound")
    }).pipe(Effect.provide(memory()))
  )
})

describe("removing a member", () => {
  it.effect("takes it out of the organization, joined or not, and reports it", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const tenancy = yield* Tenancy
      const { caller } = yield* founded
      const [joined, invited] = [yield* invite(caller, ADA), yield* invite(caller, "bob@example.com")]
      const user = yield* join(joined)
      for (const { id } of [joined, invited]) {
        assert.strictEqual((yield* tenancy.removeMember({ caller, by: personOf(caller, "admin"), id })).id, id)
        const entry = (yield* activityOf(caller.organizationId)).at(-1)
        assert.deepInclude(entry, { action: "member.removed", resourceId: id })
      }
      assert.isEmpty(yield* store.membershipsOf(user.id))
      assert.isEmpty((yield* tenancy.listMembers({ caller, page: { limit: 50, before: undefined } })).items)
    }).pipe(Effect.provide(memory()))
  )

  it.effect("finds no member of another organization", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const tenancy = yield* Tenancy
      const [mine, foreign] = [yield* founded, yield* founded]
      const member = yield* invite(foreign.caller, ADA)
      for (const id of [member.id, anId(MemberId)]) {
        const refused = yield* Effect.flip(
          tenancy.removeMember({ caller: mine.caller, by: personOf(mine.caller, "owner"), id })
        )
        assert.strictEqual(refused._tag, "MemberNotFound")
      }
      assert.deepStrictEqual(yield* store.find(foreign.caller.organizationId, member.id), member)
    }).pipe(Effect.provide(memory()))
  )

  it.effect("lets no admin remove an owner, and nobody the last one who has joined", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller } = yield* founded
      const { id } = yield* anOwner(caller, ADA)
      assert.strictEqual(
        (yield* Effect.flip(tenancy.removeMember({ caller, by: personOf(caller, "admin"), id })))._tag,
        "RoleNotGrantable"
      )
      assert.strictEqual(
        (yield* Effect.flip(tenancy.removeMember({ caller, by: personOf(caller, "owner"), id })))._tag,
        "LastOwner"
      )
      yield* anOwner(caller, "bob@example.com")
      yield* tenancy.removeMember({ caller, by: personOf(caller, "owner"), id })
    }).pipe(Effect.provide(memory()))
  )
})
