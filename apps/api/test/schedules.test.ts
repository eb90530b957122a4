/** Runs by the clock over the interface: what is taken, what is shown, and what is refused. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, layer as layerApi, type Tenant, TestApi } from "./support.ts"

const PATH = "/api/v1/schedules"

const post = (tenant: Tenant, body: unknown, headers: Record<string, string> = {}) =>
  TestApi.use((api) => api.call("POST", PATH, { key: tenant.workspaceKey, body, headers }))

/** An answer's body, to be compared. */
const plain = ({ json }: { readonly json: unknown }) => json as Readonly<Record<string, unknown>>

const pointers = ({ json }: { readonly json: unknown }) =>
  ((plain({ json })["errors"] ?? []) as ReadonlyArray<{ readonly pointer: string }>).map(({ pointer }) => pointer)

const isFuture = (time: unknown) => assert.isAbove(Date.parse(String(time)), Date.now())

layer(layerApi, { excludeTestServices: true })("schedules", (it) => {
  it.effect("are created, read, listed, changed, paused and deleted", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const agent_id = yield* anAgent(tenant)
      const least = yield* post(tenant, { agent_id, cron: "0 9 * * 1-5" })
      assert.strictEqual(least.status, 201)
      assert.deepInclude(plain(least), {
        agent_id,
        name: null,
        cron: "0 9 * * 1-5",
        timezone: "UTC",
        message: null,
        input: null,
        metadata: {},
        tags: [],
        missed: "skip",
        enabled: true,
        last_run_id: null,
        last_run_at: null,
        last_error: null,
        version: 1
      })
      isFuture(least.json["next_run_at"])
      const all = {
        agent_id,
        name: "Report",
        cron: "*/5 * * * *",
        timezone: "europe/berlin",
        message: "What is new?",
        input: { steps: [] },
        metadata: { customer: "42" },
        tags: ["nightly"],
        missed: "once",
        enabled: false
      }
      const full = yield* post(tenant, all)
      assert.deepInclude(plain(full), { ...all, timezone: "Europe/Berlin", next_run_at: null })

      const one = `${PATH}/${least.json["id"]}`
      assert.deepStrictEqual((yield* api.call("GET", one, { key })).json, least.json)
      const list = yield* api.call("GET", `${PATH}?limit=1`, { key })
      assert.deepInclude(plain(list), { items: [plain(full)] })
      const next = yield* api.call("GET", `${PATH}?limit=1&cursor=${list.json["next_cursor"]}`, { key })
      assert.deepInclude(plain(next), { items: [plain(least)], next_cursor: null })
      const another = yield* anAgent(tenant)
      for (const [agent, found] of [[agent_id, 2] as const, [another, 0] as const, ["nonsense", 0] as const]) {
        const { json } = yield* api.call("GET", `${PATH}?agent_id=${agent}`, { key })
        assert.strictEqual((json["items"] as unknown as Array<unknown>).length, found)
      }

      const paused = yield* api.call("PATCH", one, { key, body: { enabled: false, name: "Paused" } })
      assert.deepInclude(plain(paused), { enabled: false, next_run_at: null, name: "Paused", version: 2 })
      const same = yield* api.call("PATCH", one, { key, body: { enabled: false } })
      assert.deepInclude(plain(same), { version: 2 })
      const change = { enabled: true, name: null, agent_id: another, cron: "0 0 1 1 *", timezone: "Asia/Kolkata" }
      const changed = yield* api.call("PATCH", one, { key, body: change })
      assert.deepInclude(plain(changed), { ...change, version: 3 })
      assert.match(String(changed.json["next_run_at"]), /-12-31T18:30:00.000Z$/)

      const deleted = yield* api.call("DELETE", one, { key })
      assert.deepInclude(plain(deleted), { id: least.json["id"], status: "deleted" })
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const body = method === "PATCH" ? { body: { enabled: false } } : {}
        assert.strictEqual((yield* api.call(method, one, { key, ...body })).status, 404)
      }
    })
  )

  it.effect("are refused with a pointer where they could make no run", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const agent_id = yield* anAgent(tenant)
      const sound = { agent_id, cron: "0 9 * * *" }
      const refused: ReadonlyArray<readonly [object, string]> = [
        [{ cron: "0 0 9 * * *" }, "/cron"],
        [{ cron: "@daily" }, "/cron"],
        [{ cron: "0 9 * *" }, "/cron"],
        [{ cron: "60 9 * * *" }, "/cron"],
        [{ cron: "0 9 31 2 *" }, "/cron"],
        [{ cron: "0 9 30 2 */2" }, "/cron"],
        [{ cron: "9".repeat(257) }, "/cron"],
        [{ timezone: "Europe/Atlantis" }, "/timezone"],
        [{ timezone: "+01:00" }, "/timezone"],
        [{ missed: "all" }, "/missed"],
        [{ enabled: "yes" }, "/enabled"],
        [{ tags: [""] }, "/tags/0"],
        [{ unknown: 1 }, "/unknown"]
      ]
      for (const [body, pointer] of refused) {
        const answer = yield* post(tenant, { ...sound, ...body })
        assert.strictEqual(answer.status, 422, JSON.stringify(body))
        assert.include(pointers(answer), pointer, JSON.stringify(body))
      }
      assert.strictEqual((yield* post(tenant, { ...sound, agent_id: "nonsense" })).status, 404)
      const schema = { type: "object", required: ["order"] }
      yield* api.call("PATCH", `/api/v1/agents/${agent_id}`, { key, body: { input_schema: schema } })
      assert.deepStrictEqual(pointers(yield* post(tenant, sound)), ["/input"])
      const created = yield* post(tenant, { ...sound, input: { order: 1 } })
      assert.strictEqual(created.status, 201)
      const one = `${PATH}/${created.json["id"]}`
      const worse = yield* api.call("PATCH", one, { key, body: { input: {} } })
      assert.deepStrictEqual([worse.status, pointers(worse)], [422, ["/input"]])
      const never = yield* api.call("PATCH", one, { key, body: { cron: "0 0 31 2 *" } })
      assert.deepStrictEqual([never.status, pointers(never)], [422, ["/cron"]])
      // One that cannot make runs may still be described, and paused.
      yield* api.call("PATCH", `/api/v1/agents/${agent_id}`, {
        key,
        body: { input_schema: { type: "object", required: ["customer"] } }
      })
      for (const body of [{ name: "Orders" }, { enabled: false }]) {
        assert.strictEqual((yield* api.call("PATCH", one, { key, body })).status, 200)
      }
      const resumed = yield* api.call("PATCH", one, { key, body: { enabled: true } })
      assert.deepStrictEqual(pointers(resumed), ["/input"])
    })
  )

  it.effect("are created once for an Idempotency-Key", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const body = { agent_id: yield* anAgent(tenant), cron: "0 9 * * *" }
      const headers = { "idempotency-key": "one" }
      const [first, second] = [yield* post(tenant, body, headers), yield* post(tenant, body, headers)]
      assert.deepStrictEqual([first.status, second.status], [201, 201])
      assert.deepStrictEqual(second.json, first.json)
    })
  )

  it.effect("answers 409 version_conflict to another version in If-Match", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const created = yield* post(tenant, { agent_id: yield* anAgent(tenant), cron: "0 9 * * *" })
      const patch = (version: number, name: string) =>
        api.call("PATCH", `${PATH}/${created.json["id"]}`, {
          key,
          body: { name },
          headers: { "if-match": `"${version}"` }
        })
      assert.deepInclude(plain(yield* patch(1, "One")), { name: "One", version: 2 })
      assert.deepInclude(plain(yield* patch(1, "Two")), { status: 409, code: "version_conflict" })
    })
  )

  it.effect("are switched off with their agent, and take another one", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const agent_id = yield* anAgent(tenant)
      const created = yield* post(tenant, { agent_id, cron: "0 9 * * *" })
      const one = `${PATH}/${created.json["id"]}`
      yield* api.call("DELETE", `/api/v1/agents/${agent_id}`, { key })
      const off = yield* api.call("GET", one, { key })
      assert.deepInclude(plain(off), { enabled: false, next_run_at: null, version: 2 })
      assert.strictEqual(String(off.json["last_error"]!["code"]), "agent_archived")
      assert.strictEqual((yield* api.call("PATCH", one, { key, body: { enabled: true } })).status, 404)
      assert.strictEqual((yield* post(tenant, { agent_id, cron: "0 9 * * *" })).status, 404)
      const theirs = yield* anAgent(yield* api.tenant)
      for (const enabled of [true, false]) {
        const foreign = { agent_id: theirs, enabled }
        const { json, status } = yield* api.call("PATCH", one, { key, body: foreign })
        assert.strictEqual(status, 404)
        assert.match(String(json["detail"]), /^There is no such resource: \/agent_id must be the id of an agent/)
      }
      const body = { agent_id: yield* anAgent(tenant), enabled: true }
      const on = yield* api.call("PATCH", one, { key, body })
      assert.strictEqual(on.status, 200)
      isFuture(on.json["next_run_at"])
    })
  )
})
