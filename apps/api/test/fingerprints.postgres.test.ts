/** Nothing that is kept of a request or of a provider key lets who reads the database try guesses against it. */
import { createHash } from "node:crypto"
import { canonicalJson } from "@agent-platform/kernel"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { answer, BYOK } from "./byokSupport.ts"
import { givenWebhook, sendHook } from "./inbound.ts"
import { layerPorts } from "./overPostgres.ts"
import { layerOver, TestApi } from "./support.ts"

const sha256 = (data: string) => createHash("sha256").update(data).digest("hex")

/** Every row of every table of ours, as text. */
const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select oid::regclass::text as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'agent_platform'::regnamespace
  `
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    sql.unsafe<{ readonly text: string }>(`select row_to_json(one)::text as text from ${name} as one`)
  )
  return rows.flatMap((table) => table.map(({ text }) => text)).join("\n")
})

layer(layerOver(layerPorts), { excludeTestServices: true, timeout: "60 seconds" })("what is kept", (it) => {
  it.effect("holds no digest of a short provider key, nor of the request that registered it", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      yield* answer({ type: "accepted" })
      const body = { key: "hunter22", name: "Own server" }
      const headers = { "idempotency-key": "own-server" }
      const { status } = yield* api.call("POST", `${BYOK}/openai`, { key: tenant.workspaceKey, headers, body })
      assert.strictEqual(status, 201)
      const again = yield* api.call("POST", `${BYOK}/openai`, { key: tenant.workspaceKey, headers, body })
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      const rows = yield* dump
      assert.include(rows, "own-server")
      assert.notInclude(rows, sha256(body.key).slice(0, 16))
      assert.notInclude(rows, sha256(canonicalJson(body)))
    })
  )

  it.effect("holds no digest of what came in by an inbound URL", () =>
    Effect.gen(function* () {
      const { hook } = yield* givenWebhook()
      const raw = JSON.stringify({ password: "hunter22" })
      const headers = { "content-type": "application/json", "idempotency-key": "received" }
      const receive = sendHook(hook, undefined, { raw, headers })
      const [first, again] = [yield* receive, yield* receive]
      assert.strictEqual(first.status, 202, first.text)
      assert.deepStrictEqual(again.json["run_id"], first.json["run_id"])
      const rows = yield* dump
      assert.include(rows, "key:received")
      assert.notInclude(rows, sha256(raw))
    })
  )
})
