/** Bodies on their way in. Contract: Errors, 408 and 413. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exchange } from "./exchange.ts"
import { anAgent, layer as layerApi, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("bodies", (it) => {
  it.effect("answer 413 when they come in chunks, too, after all of them were read", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const chunk = "x".repeat(65_536)
      const chunks = Array.from({ length: 40 }, () => `10000\r\n${chunk}\r\n`).join("")
      const answer = yield* exchange(
        `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n` +
          `X-API-Key: ${workspaceKey}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`
      )
      assert.strictEqual(answer.split(" ")[1], "413")
    })
  )

  it.effect("are read after Expect: 100-continue", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const body = JSON.stringify({ name: "x" })
      const answer = yield* exchange(
        `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nX-API-Key: ${workspaceKey}\r\n\r\n${body}`
      )
      assert.match(answer, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created\r\n/)
    })
  )

  it.effect("of exactly 1 MiB are read", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const frame = JSON.stringify({ name: "x", instructions: "" })
      const raw = frame + " ".repeat(1024 * 1024 - frame.length)
      assert.strictEqual((yield* api.call("POST", "/api/v1/agents", { key: workspaceKey, raw })).status, 201)
    })
  )

  it.effect("may hold any JSON as a run's input, which comes back as it was", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      for (const input of [null, 0, -1.5e-7, "", "é\u2028😀", [[[]]], { "": { "a/b": [1, true] } }]) {
        const { json } = yield* api.call("POST", "/api/v1/runs/", {
          key: tenant.workspaceKey,
          body: { agent_id, input }
        })
        assert.deepStrictEqual(json["input"] as unknown, input)
      }
    })
  )
})
