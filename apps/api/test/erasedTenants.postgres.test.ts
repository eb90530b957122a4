/** Workspaces, organizations and people that were erased: afterwards no row anywhere has a text of them. */
import { OrganizationId } from "@agent-platform/kernel"
import { Erasures } from "@agent-platform/platform"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { sumsOf, tablesWith } from "./canaries.ts"
import {
  aCanary,
  agentWith,
  counted,
  erased,
  eraserOf,
  gone,
  layerWithWorkers,
  runWith,
  statusOf,
  until
} from "./erasing.ts"
import { inDatabase } from "./overPostgres.ts"
import { aPerson } from "./people.ts"
import { TestApi } from "./support.ts"

layer(layerWithWorkers, { excludeTestServices: true, timeout: "120 seconds" })(
  "erasing tenants over Postgres",
  (it) => {
    it.effect("a workspace is closed at once, also for those in the middle of something, and leaves nothing", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { orgKey } = yield* eraserOf(tenant)
        const canary = aCanary()
        const path = `/api/v1/org/workspaces/${tenant.workspaceId}`
        yield* api.call("PATCH", path, { key: tenant.orgKey, body: { name: canary } })
        yield* api.call("POST", "/api/v1/auth/api-keys", { key: tenant.workspaceKey, body: { name: canary } })
        yield* api.call("POST", "/api/v1/byok/openai", {
          key: tenant.workspaceKey,
          body: { key: canary, name: canary, validate: false }
        })
        const secret = { name: canary, host_pattern: `${canary}.example.com`, header: "x-api-key", value: canary }
        const kept = yield* api.call("POST", "/api/v1/tool-secrets", { key: tenant.workspaceKey, body: secret })
        assert.strictEqual(kept.status, 201, kept.text)
        const agent = yield* agentWith(tenant, canary)
        const schedule = {
          agent_id: agent,
          cron: "0 9 * * *",
          name: canary,
          message: canary,
          metadata: { [canary]: canary }
        }
        const scheduled = yield* api.call("POST", "/api/v1/schedules", { key: tenant.workspaceKey, body: schedule })
        assert.strictEqual(scheduled.status, 201, scheduled.text)
        yield* runWith(tenant, agent, canary)
        const before = yield* counted(tenant, 1)
        const trigger = api.call("POST", "/api/v1/runs/", {
          key: tenant.workspaceKey,
          body: { agent_id: agent, message: canary, input: { steps: [{ sleep_ms: 60_000 }] } }
        })
        const [asked, ...raced] = yield* Effect.all(
          [api.call("DELETE", path, { key: orgKey }), ...Array.from({ length: 20 }, () => trigger)],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(asked.status, 202, asked.text)
        for (const { status } of raced) assert.oneOf(status, [202, 401, 404])
        assert.strictEqual(yield* statusOf("GET", "/api/v1/agents", tenant.workspaceKey), 401)
        const named = { headers: { "x-workspace-id": tenant.workspaceId } }
        assert.strictEqual((yield* api.call("GET", "/api/v1/agents", { key: tenant.orgKey, ...named })).status, 404)
        assert.notInclude(
          (yield* api.call("GET", "/api/v1/org/workspaces", { key: tenant.orgKey })).text,
          tenant.workspaceId
        )
        yield* erased("DELETE", path, orgKey)
        yield* gone(canary)
        const after = yield* sumsOf(tenant.organizationId)
        assert.deepStrictEqual({ ...after, runs: before["runs"] ?? "" }, before)
        assert.strictEqual(yield* statusOf("DELETE", path, orgKey), 404)
      })
    )

    it.effect("a workspace that nobody has used leaves not even its id", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { orgKey } = yield* eraserOf(tenant)
        const made = yield* api.call("POST", "/api/v1/org/workspaces", { key: tenant.orgKey, body: { name: "Unused" } })
        const path = `/api/v1/org/workspaces/${made.json["id"]}`
        yield* erased("DELETE", path, orgKey)
        const rows = yield* inDatabase(
          (sql) => sql`select from agent_platform.workspace where id = ${String(made.json["id"])}`
        )
        assert.lengthOf(rows, 0)
        assert.strictEqual(yield* statusOf("DELETE", path, orgKey), 404)
      })
    )

    it.effect("a person leaves their acts, and no name", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const erasures = yield* Erasures
        const tenant = yield* api.tenant
        const owner = yield* aPerson(tenant, "owner")
        const unsafe = { ...owner.unsafe, "x-workspace-id": tenant.workspaceId }
        const made = yield* api.call("POST", "/api/v1/auth/api-keys", { headers: unsafe, body: { name: "Theirs" } })
        assert.strictEqual(made.status, 201, made.text)
        yield* api.call("POST", "/api/v1/org/members", { headers: owner.unsafe, body: { email: "else@example.com" } })
        const names = [owner.user.email, owner.member.email, owner.session.id]
        const subject = {
          kind: "person",
          organizationId: OrganizationId.make(tenant.organizationId),
          workspaceId: null,
          subjectId: owner.user.id
        } as const
        const actor = { type: "system", id: "admin", label: "admin" } as const
        const { value } = yield* Effect.orDie(erasures.askErasure({ ...subject, actor, idempotency: undefined }))
        assert.strictEqual((yield* api.call("GET", "/api/v1/auth/me", { headers: owner.headers })).status, 401)
        const { id, organizationId } = value
        yield* until(
          "the person's end",
          Effect.map(Effect.orDie(erasures.readErasure({ organizationId, within: undefined, id })), ({ state }) =>
            state === "done" ? true : undefined
          )
        )
        for (const name of names) assert.deepStrictEqual(yield* tablesWith(name), [])
        const keys = yield* api.call("GET", "/api/v1/auth/api-keys", { key: tenant.workspaceKey })
        assert.include(keys.text, '"label":"erased person"')
      })
    )

    it.effect("an organization leaves its id and its sums", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const erasures = yield* Erasures
        const tenant = yield* api.tenant
        const canary = aCanary()
        yield* api.call("POST", "/api/v1/org/webhooks", {
          key: tenant.orgKey,
          body: { url: `https://example.com/${canary}`, description: canary }
        })
        yield* api.call("POST", "/api/v1/org/workspaces", { key: tenant.orgKey, body: { name: canary } })
        yield* api.call("POST", "/api/v1/org/members", { key: tenant.orgKey, body: { email: `${canary}@example.com` } })
        yield* api.call("POST", "/api/v1/org/api-keys", { key: tenant.orgKey, body: { name: canary } })
        const agent = yield* agentWith(tenant, canary)
        yield* runWith(tenant, agent, canary)
        const before = yield* counted(tenant, 1)
        const organizationId = OrganizationId.make(tenant.organizationId)
        const subject = { kind: "organization", organizationId, workspaceId: null, subjectId: organizationId } as const
        const actor = { type: "system", id: "admin", label: "admin" } as const
        const { value } = yield* Effect.orDie(erasures.askErasure({ ...subject, actor, idempotency: undefined }))
        for (const key of [tenant.orgKey, tenant.workspaceKey]) {
          assert.strictEqual(yield* statusOf("GET", "/api/v1/auth/me", key), 401)
        }
        yield* until(
          "the organization's end",
          Effect.map(
            Effect.orDie(erasures.readErasure({ organizationId, within: undefined, id: value.id })),
            ({ state }) => (state === "done" ? true : undefined)
          )
        )
        yield* gone(canary)
        assert.deepStrictEqual(yield* sumsOf(tenant.organizationId), before)
      })
    )
  }
)
