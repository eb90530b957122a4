/** The operator founds and invites over a real Postgres; where the process counts, by the real program. */
import { OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { MemberId, MemberStore } from "@agent-platform/keys"
import { aUser } from "@agent-platform/keys/testing"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { admin, authenticate, bootstrapped, layer, parse, printed, realAdmin, refused } from "./operating.ts"
import { runAdminIn, spawnAdmin } from "./program.ts"

const UNKNOWN = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"

const actionsOf = (organizationId: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ readonly action: string; readonly actor: string }>`
      select action, actor_type || ' ' || coalesce(actor_id::text, actor_word) || ' ' || actor_label as actor from activity
      where organization_id = ${organizationId} order by id
    `
  )

suite(layer, { excludeTestServices: true })("the admin program", (it) => {
  it.effect("bootstraps an organization with working keys and an invited owner, in its own name", () =>
    Effect.gen(function* () {
      const made = parse(
        yield* realAdmin(
          ...["bootstrap", "--organization", "Acme", "--workspace", "Main", "--timezone", "Europe/Berlin"],
          ...["--owner", "Ada@Example.com"]
        )
      )
      assert.deepInclude(made.owner, { email: "ada@example.com", status: "invited" })
      const organization = (yield* authenticate(made.org_key)).key
      assert.deepInclude(organization, { organizationId: made.organization_id, workspaceId: null })
      const workspace = (yield* authenticate(made.workspace_key)).key
      assert.deepInclude(workspace, { organizationId: made.organization_id, workspaceId: made.workspace_id })
      const entries = yield* actionsOf(made.organization_id)
      assert.sameMembers(
        entries.map(({ action }) => action),
        ["organization.created", "workspace.created", "member.invited", "api_key.created", "api_key.created"]
      )
      for (const { actor } of entries) assert.strictEqual(actor, "system admin admin")
    })
  )

  it.effect("makes nothing where a time zone or an address is wrong, and says what is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const count = sql`select id from organization`
      const before = yield* count
      assert.strictEqual(
        yield* refused("bootstrap", "--organization", "Acme", "--timezone", "Europe/Atlantis"),
        "admin: There is no time zone 'Europe/Atlantis'"
      )
      assert.strictEqual(
        yield* refused("bootstrap", "--organization", "Acme", "--owner", "ada"),
        "admin: The address must be an e-mail address"
      )
      assert.include(yield* refused("bootstrap", "--organization", " "), "Expected: one line of 1 to 100 characters")
      assert.include(yield* refused("bootstrap"), "--organization")
      assert.deepStrictEqual(yield* count, before)
    })
  )

  it.effect("creates and lists organizations, as a table and as JSON", () =>
    Effect.gen(function* () {
      const made = yield* printed("organizations", "create", "--name", "Umbrella", "--owner", "bob@example.com")
      assert.deepInclude(made, { name: "Umbrella" })
      assert.strictEqual(made.owner.email, "bob@example.com")
      assert.strictEqual(made.workspace.organization_id, made.id)
      const { items } = yield* printed("organizations", "list", "--json")
      assert.deepInclude(items, { id: made.id, name: "Umbrella", created_at: made.created_at })
      const { out } = yield* admin("organizations", "list")
      assert.match(out, /^id +name +created_at\n/)
      assert.include(out, `${made.id}  Umbrella`)
    })
  )

  it.effect("creates and lists workspaces of one organization", () =>
    Effect.gen(function* () {
      const { organization_id, workspace_id } = yield* bootstrapped
      const organization = ["--organization", organization_id]
      const made = yield* printed(
        ...["workspaces", "create", ...organization, "--name", "Customer", "--timezone", "Asia/Kolkata"],
        ...["--monthly-cap-usd", "250.5"]
      )
      assert.deepInclude(made, {
        name: "Customer",
        timezone: "Asia/Kolkata",
        monthly_cap_usd: "250.50",
        organization_id
      })
      const { items } = yield* printed("workspaces", "list", ...organization, "--json")
      assert.deepStrictEqual(
        items.map(({ id }: { readonly id: string }) => id),
        [made.id, workspace_id]
      )
      assert.include((yield* admin("workspaces", "list", ...organization)).out, "250.50")
      const unknown = yield* refused("workspaces", "list", "--organization", UNKNOWN)
      assert.strictEqual(unknown, `admin: There is no organization ${UNKNOWN}`)
      const cap = yield* refused("workspaces", "create", ...organization, "--name", "x", "--monthly-cap-usd", "-1")
      assert.include(cap, "Expected: a decimal, as in 250.00")
    })
  )

  it.effect("shows the time zone that a workspace is to have beside the one that it has", () =>
    Effect.gen(function* () {
      const { organization_id, workspace_id } = yield* bootstrapped
      const one = ["--organization", organization_id, "--workspace", workspace_id]
      const before = yield* printed("workspaces", "show", ...one)
      assert.isNull(before.next_timezone)
      const changed = yield* printed("workspaces", "update", ...one, "--timezone", "Pacific/Apia")
      assert.strictEqual(changed.timezone, before.timezone)
      assert.strictEqual(changed.next_timezone.timezone, "Pacific/Apia")
      assert.deepStrictEqual(yield* printed("workspaces", "show", ...one), changed)
      const back = yield* printed("workspaces", "update", ...one, "--timezone", before.timezone)
      assert.isNull(back.next_timezone)
    })
  )

  it.effect("invites, lists and removes members, and keeps the last owner", () =>
    Effect.gen(function* () {
      const [members, unit] = [yield* MemberStore, yield* UnitOfWork]
      const { organization_id, owner, workspace_id } = yield* bootstrapped
      const organization = ["--organization", organization_id]
      const grant = ["--workspace", `${workspace_id}:viewer`]
      const made = yield* printed("members", "invite", ...organization, "--email", "bob@example.com", ...grant)
      assert.deepInclude(made, { email: "bob@example.com", organization_role: null, status: "invited" })
      assert.deepStrictEqual(made.workspaces, [{ workspace_id, role: "viewer" }])
      const raised = yield* printed(
        ...["members", "invite", ...organization, "--email", "Bob@example.com"],
        "--role",
        "admin"
      )
      assert.deepInclude(raised, { id: made.id, organization_role: "admin" })
      const { items } = yield* printed("members", "list", ...organization, "--json")
      assert.sameMembers(
        items.map(({ id }: { readonly id: string }) => id),
        [owner.id, made.id]
      )
      const removed = yield* printed("members", "remove", ...organization, "--member", made.id)
      assert.deepStrictEqual(removed, { id: made.id, email: "bob@example.com", status: "removed" })
      const again = yield* refused("members", "remove", ...organization, "--member", made.id)
      assert.strictEqual(again, "admin: There is no such member in the organization")

      const user = aUser({ email: owner.email })
      const at = yield* DateTime.now
      yield* unit.atomic(Effect.andThen(members.putUser(user), members.takeUp(owner.email, user, at)))
      const last = yield* members.find(OrganizationId.make(organization_id), MemberId.make(owner.id))
      assert.isNotNull(last?.user)
      assert.include(yield* refused("members", "remove", ...organization, "--member", owner.id), "the last owner")

      const gone = aUser({ email: "gone@example.com" })
      yield* unit.atomic(members.putUser(gone))
      const counted = yield* admin("members", "erase", ...organization, "--member", gone.id, "--dry-run", "--json")
      assert.strictEqual(JSON.parse(counted.out).resource_id, gone.id)
      const nobody = yield* refused("members", "erase", ...organization, "--member", made.id, "--dry-run")
      assert.strictEqual(nobody, "admin: There is no such person, or it is erased already")

      const foreign = ["--workspace", `${(yield* bootstrapped).workspace_id}:member`]
      const away = yield* refused("members", "invite", ...organization, "--email", "carol@example.com", ...foreign)
      assert.strictEqual(away, "admin: There is no such workspace in the organization")
      const form = yield* refused(
        "members",
        "invite",
        ...organization,
        "--email",
        "c@example.com",
        "--workspace",
        "x:owner"
      )
      assert.include(form, "Expected: a workspace's id or name and a role")
    })
  )

  it.effect("takes names where ids are, and refuses a name that several have, with their ids", () =>
    Effect.gen(function* () {
      const made = yield* printed("bootstrap", "--organization", "Größe GmbH", "--workspace", "Kunde: 7")
      const named = ["--organization", "Größe GmbH"]
      const whole = yield* printed("organizations", "show", ...named)
      assert.strictEqual(whole.id, made.organization_id)
      const shown = yield* printed("workspaces", "show", ...named, "--workspace", "Kunde: 7")
      assert.strictEqual(shown.id, made.workspace_id)
      const keys = yield* printed("keys", "list", ...named, "--workspace", "Kunde: 7", "--json")
      assert.strictEqual(keys.items[0].workspace_id, made.workspace_id)
      const invited = yield* printed(
        ...["members", "invite", ...named, "--email", "dora@example.com", "--workspace", "Kunde: 7:viewer"]
      )
      assert.deepStrictEqual(invited.workspaces, [{ workspace_id: made.workspace_id, role: "viewer" }])

      const nobody = yield* refused("organizations", "show", "--organization", "größe gmbh")
      assert.strictEqual(nobody, "admin: There is no organization größe gmbh")
      const twin = yield* printed("workspaces", "create", ...named, "--name", "Kunde: 7")
      const several = yield* refused("workspaces", "show", ...named, "--workspace", "Kunde: 7")
      assert.include(several, "Several workspaces have this name. Say which by its id:")
      for (const id of [made.workspace_id, twin.id]) assert.include(several, id)
      const other = yield* printed("bootstrap", "--organization", "Größe GmbH")
      const both = yield* refused("keys", "list", ...named)
      for (const id of [made.organization_id, other.organization_id]) assert.include(both, id)
      const changed = yield* refused("organizations", "rename", ...named, "--name", "Nobody's")
      assert.include(changed, "Several organizations have this name")
    })
  )

  it.effect("says in one line of standard error what it is refused, and ends with 3", () =>
    Effect.gen(function* () {
      const outcome = yield* realAdmin("workspaces", "list", "--organization", UNKNOWN)
      assert.deepStrictEqual(outcome, { code: 3, out: "", err: `admin: There is no organization ${UNKNOWN}\n` })
    })
  )

  for (const command of [
    "organizations list",
    "jobs list",
    "jobs run logins.prune",
    "records rotate-key",
    "migrate",
    "migrate --preview"
  ]) {
    it.effect(`says in one line that the database is away, and ends with 1: ${command}`, () =>
      Effect.gen(function* () {
        const outcome = yield* runAdminIn(
          {
            DATABASE_URL: "postgres://nobody@127.0.0.1:1/nowhere",
            SECRETS_KEY: Buffer.alloc(32, 1).toString("base64")
          },
          ...command.split(" ")
        )
        const err = "admin: The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1\n"
        assert.deepStrictEqual(outcome, { code: 1, out: "", err })
      })
    )
  }

  it.effect("says what it needs when it cannot begin, with the exit code of settings", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* spawnAdmin("", "organizations", "list")
      assert.strictEqual(code, 78)
      assert.include(err, "DATABASE_URL is missing")
      assert.strictEqual(out, "")
    })
  )
})
