/** The API over Postgres: what only a real database can show. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { asAdmin, DATABASE, inDatabase, layerPorts } from "./overPostgres.ts"
import { anAgent, layerOver, TestApi } from "./support.ts"

layer(layerOver(layerPorts), { excludeTestServices: true, timeout: "60 seconds" })("the API over Postgres", (it) => {
  it.effect("creates once under an Idempotency-Key, however many ask at once", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      const call = { key: tenant.workspaceKey, headers: { "idempotency-key": "order-1" }, body: { agent_id } }
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => api.call("POST", "/api/v1/runs/", call)),
        {
          concurrency: "unbounded"
        }
      )
      const runs = new Set(answers.filter(({ status }) => status === 202).map(({ json }) => String(json["run_id"])))
      assert.strictEqual(runs.size, 1)
      for (const { json, status } of answers) {
        assert.include(["202 undefined", "409 idempotency_in_progress"], `${status} ${json["code"]}`)
      }
    })
  )

  it.effect("keeps what callers write as they wrote it", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      const body = {
        agent_id,
        message: "é\u2028😀'\";--",
        input: { "": [null, 1.5, { "a/b": "\u0001" }], big: 1e300 },
        metadata: { __proto__x: "1", ключ: "значение" },
        tags: ["a,b", "{}"],
        max_cost_usd: "000012.500000000001"
      }
      const { json, status } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
      assert.strictEqual(status, 202)
      const read = yield* api.call("GET", `/api/v1/runs/${json["run_id"]}`, { key: tenant.workspaceKey })
      assert.deepStrictEqual(read.json["input"] as unknown, body.input)
      assert.deepStrictEqual(read.json["metadata"] as unknown, body.metadata)
      assert.deepStrictEqual(read.json["tags"] as unknown, body.tags)
      assert.strictEqual(String(read.json["cost_usd"]), "0.00")
      assert.strictEqual(String(read.json["created_at"]), String(json["created_at"]))
    })
  )

  it.effect("keeps a reply whose data holds what no text of a database can", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const run = yield* api.call("POST", "/api/v1/runs/", { key, body: { agent_id: yield* anAgent(tenant) } })
      const messages = `/api/v1/sessions/${run.json["session_id"]}/messages`
      const body = { message: "And now?", data: { "\u0000": "a\u0000b" } }
      assert.strictEqual((yield* api.call("POST", messages, { key, body })).status, 202)
      const { json } = yield* api.call("GET", messages, { key })
      assert.include(JSON.stringify(json), JSON.stringify({ "\uFFFD": "a\uFFFDb" }))
    })
  )

  it.effect("keeps money to its last digit", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      for (const [given, shown] of [
        ["0", "0.00"],
        ["999999999999.999999999999", "999999999999.999999999999"],
        ["007.10", "7.10"]
      ]) {
        const created = yield* api.call("POST", "/api/v1/agents", {
          key: workspaceKey,
          body: { name: "x", max_cost_usd: given }
        })
        assert.strictEqual(String(created.json["max_cost_usd"]), shown)
        const { json } = yield* api.call("GET", "/api/v1/agents?limit=1", { key: workspaceKey })
        assert.strictEqual(String(json["items"]![0]!["max_cost_usd"]), shown)
      }
    })
  )

  it.effect("holds an organization to ten active endpoints, however many are registered at once", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { orgKey } = yield* api.tenant
      const register = api.call("POST", "/api/v1/org/webhooks", { key: orgKey, body: { url: "https://example.com/" } })
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => register),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 10)
      assert.strictEqual(answers.filter(({ status }) => status === 409).length, 10)
    })
  )

  it.effect("holds a workspace to ten thousand queued runs, however many are triggered at once", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const sql = yield* SqlClient.SqlClient
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      const trigger = api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id } })
      const first = yield* trigger
      // 9,989 more in the line of the same session, so that there is room for ten.
      yield* Effect.orDie(sql`
        insert into run
        select copy.* from run as first, generate_series(2, 9990) as place,
          jsonb_populate_record(null::run, to_jsonb(first) || jsonb_build_object(
            'id', gen_random_uuid(), 'position', place, 'ready', false, 'due_at', null
          )) as copy
        where first.id = ${String(first.json["run_id"])}
      `)
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => trigger),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 202).length, 10)
      const refused = answers.filter(({ json, status }) => status === 429 && String(json["code"]) === "queue_full")
      assert.strictEqual(refused.length, 10)
    })
  )

  it.effect("answers 503 to what waits for a lock for too long, serves the rest, and recovers by itself", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      const read = api.call("GET", "/api/v1/agents", { key: tenant.workspaceKey })
      const write = api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id } })
      const isHeld = yield* Deferred.make<void>()
      const holding = yield* inDatabase((sql) =>
        sql.withTransaction(
          sql`lock table agent`.pipe(Effect.andThen(Deferred.succeed(isHeld, undefined)), Effect.andThen(Effect.never))
        )
      ).pipe(Effect.forkChild)
      yield* Deferred.await(isHeld)
      const refused = yield* Effect.all([read, write], { concurrency: 2 })
      const served = yield* api.call("GET", "/api/v1/auth/me", { key: tenant.workspaceKey })
      yield* Fiber.interrupt(holding)
      assert.deepStrictEqual(
        [...refused, served].map(({ status }) => status),
        [503, 503, 200]
      )
      const after = yield* Effect.all([read, write])
      assert.deepStrictEqual(
        after.map(({ status }) => status),
        [200, 202]
      )
    })
  )

  // 57P01 comes as an error that names no reason of its own; it must neither be a 500 nor last.
  it.effect("answers 503 at worst while its connections are being cut, and recovers by itself", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      const cut = asAdmin(
        (sql) =>
          sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${DATABASE} and pid <> pg_backend_pid()`
      )
      const read = api.call("GET", "/api/v1/agents", { key: tenant.workspaceKey })
      const write = api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id } })
      const [answers] = yield* Effect.all(
        [
          Effect.all(
            Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? write : read)),
            { concurrency: 8 }
          ),
          Effect.repeat(cut, { times: 10 })
        ],
        { concurrency: "unbounded" }
      )
      const found = new Set(answers.map(({ json, status }) => `${status} ${json["code"]}`))
      for (const outcome of found) assert.include(["200 undefined", "202 undefined", "503 unavailable"], outcome)
      const after = yield* Effect.repeat(read, { until: ({ status }) => status === 200, times: 50 })
      assert.strictEqual(after.status, 200)
    })
  )
})
