/** People who change an organization at the same moment, as only a database with many connections shows it. */
import { type OrganizationCaller, OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { aCaller } from "@agent-platform/kernel/testing"
import { type Member, MemberStore, scopesOfRole, Tenancy, WorkspaceSpend } from "@agent-platform/keys"
import { anEmail, aUser } from "@agent-platform/keys/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"

const layer = Tenancy.layer.pipe(
  Layer.provide([WorkspaceSpend.layerNothing, SecureRandom.layerWebCrypto]),
  Layer.provideMerge(postgres),
  Layer.provideMerge(databaseLayer)
)

const founded = Effect.gen(function* () {
  const tenancy = yield* Tenancy
  const { organization, workspace } = yield* Effect.orDie(
    tenancy.foundOrganization({ name: "Acme", workspaceName: "Main", timezone: "UTC" })
  )
  const caller: OrganizationCaller = aCaller({ organizationId: OrganizationId.make(organization.id) })
  return { caller, workspace }
})

const ownerOf = ({ actor }: OrganizationCaller) =>
  ({ actor, scopes: scopesOfRole("owner"), key: null, session: null, role: "owner" }) as const

const invitation = (caller: OrganizationCaller, email: string, organizationRole: Member["organizationRole"]) => ({
  caller,
  by: ownerOf(caller),
  email,
  organizationRole,
  workspaces: [],
  idempotency: undefined
})

/** An owner who has joined. */
const anOwner = Effect.fnUntraced(function* (caller: OrganizationCaller) {
  const [members, tenancy, unit] = [yield* MemberStore, yield* Tenancy, yield* UnitOfWork]
  const { value } = yield* Effect.orDie(tenancy.inviteMember(invitation(caller, anEmail(), "owner")))
  const user = aUser({ email: value.email })
  const at = yield* DateTime.now
  yield* unit.atomic(Effect.andThen(members.putUser(user), members.takeUp(value.email, user, at)))
  return value
})

suite(layer, { excludeTestServices: true })("tenancy over Postgres", (it) => {
  it.effect("keeps one owner of four who are removed and demoted at once", () =>
    Effect.gen(function* () {
      const [members, tenancy] = [yield* MemberStore, yield* Tenancy]
      for (let round = 0; round < 5; round++) {
        const { caller } = yield* founded
        const owners = yield* Effect.forEach(Array.from({ length: 4 }), () => anOwner(caller))
        const results = yield* Effect.forEach(
          owners,
          ({ email, id }, index) =>
            index % 2 === 0
              ? Effect.result(Effect.asVoid(tenancy.removeMember({ caller, by: ownerOf(caller), id })))
              : Effect.result(Effect.asVoid(tenancy.inviteMember(invitation(caller, email, "admin")))),
          { concurrency: "unbounded" }
        )
        const refused = results.flatMap((result) => (Result.isFailure(result) ? [result.failure._tag] : []))
        assert.deepStrictEqual(refused, ["LastOwner"])
        assert.strictEqual(yield* members.countOwners(caller.organizationId), 1)
      }
    })
  )

  it.effect("makes one member of twenty invitations at one address at once", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller } = yield* founded
      const email = anEmail()
      const invited = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "admin" : "owner")),
        (role) => tenancy.inviteMember(invitation(caller, email, role)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(invited.map(({ value }) => value.id)).size, 1)
      const page = yield* tenancy.listMembers({ caller, page: { limit: 50, before: undefined } })
      assert.strictEqual(page.items.length, 1)
    })
  )

  it.effect("loses none of several changes to one workspace at once", () =>
    Effect.gen(function* () {
      const tenancy = yield* Tenancy
      const { caller, workspace } = yield* founded
      const change = { caller, by: ownerOf(caller), workspaceId: workspace.id }
      yield* Effect.all(
        [
          tenancy.updateWorkspace({ ...change, name: "Renamed" }),
          tenancy.updateWorkspace({ ...change, monthlyCapUsd: "5.00" }),
          tenancy.updateWorkspace({ ...change, timezone: "Europe/Berlin" }),
          tenancy.updateWorkspace({ ...change, allowPlatformKeys: true })
        ],
        { concurrency: "unbounded" }
      )
      const { items } = yield* tenancy.listWorkspaces({ caller, page: { limit: 1, before: undefined } })
      assert.deepInclude(items[0], { name: "Renamed", monthlyCapUsd: "5.00", allowPlatformKeys: true })
      assert.strictEqual(items[0]?.nextTimezone?.timezone, "Europe/Berlin")
    })
  )

  it.effect("keeps nothing of a founding whose end fails, its entries in the feed included", () =>
    Effect.gen(function* () {
      const [sql, tenancy, unit] = [yield* SqlClient.SqlClient, yield* Tenancy, yield* UnitOfWork]
      const count = sql<{ readonly rows: number }>`
        select (select count(*) from organization) + (select count(*) from activity) + (select count(*) from member) as rows
      `
      const before = yield* count
      const founding = tenancy.foundOrganization({
        name: "Acme",
        workspaceName: "Main",
        timezone: "UTC",
        ownerEmail: anEmail()
      })
      yield* Effect.exit(unit.atomic(Effect.andThen(founding, Effect.fail("refused"))))
      assert.deepStrictEqual(yield* count, before)
    })
  )
})
