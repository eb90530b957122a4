/** Requests that were made to hurt: each was found by trying. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { rawRequest } from "./rawRequest.ts"
import { layer as layerApi, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("hostile requests", (it) => {
  describe("moments", () => {
    const moments = [
      "9999-12-31T23:59:59-00:01",
      "9999-12-31T23:59:59-23:59",
      "0000-01-01T00:00:00Z",
      "0001-01-01T00:00:00+23:59",
      "1969-12-31T23:59:59Z"
    ]
    for (const moment of moments) {
      it.effect(`refuse ${moment}, which no store and no reader could hold, and keep nothing of it`, () =>
        Effect.gen(function* () {
          const api = yield* TestApi
          const tenant = yield* api.tenant
          const key = tenant.workspaceKey
          const created = yield* api.call("POST", "/api/v1/auth/api-keys", {
            key,
            body: { name: "p", expires_at: moment }
          })
          assert.strictEqual(created.status, 422)
          const agent = yield* api.call("POST", "/api/v1/agents", { key, body: { name: "a" } })
          const run = yield* api.call("POST", "/api/v1/runs/", {
            key,
            body: { agent_id: String(agent.json["agent_id"]), run_at: moment }
          })
          assert.strictEqual(run.status, 422)
          assert.strictEqual((yield* api.call("GET", "/api/v1/auth/api-keys", { key })).status, 200)
        })
      )
    }
  })

  it.effect("with very many faults are answered briefly", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const bodies = [
        { agent_id: "x", tags: Array.from({ length: 300_000 }, () => "") },
        Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`unknown${index}`, 1]))
      ]
      for (const body of bodies) {
        const { status, text } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
        assert.strictEqual(status, 422)
        assert.isBelow(text.length, 20_000)
      }
    })
  )

  it.effect("that name scopes over and over are refused", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const create = (count: number) =>
        api.call("POST", "/api/v1/auth/api-keys", {
          key: tenant.workspaceKey,
          body: { name: "p", scopes: Array.from({ length: count }, () => "runs:read") }
        })
      assert.strictEqual((yield* create(4_000)).status, 422)
      const twice = yield* create(2)
      assert.deepStrictEqual<unknown>(twice.json["scopes"], ["runs:read"])
    })
  )

  it.effect("that hide a query behind a semicolon ask for an unknown address", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      assert.strictEqual((yield* api.call("GET", "/healthz;x")).status, 404)
      assert.strictEqual((yield* api.call("GET", "/api/v1/agents;limit=1")).status, 404)
    })
  )

  it.effect("with two different Authorization headers are refused, with the same one twice served", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [one, two] = [yield* api.tenant, yield* api.tenant]
      const ask = (...keys: ReadonlyArray<string>) =>
        rawRequest(
          [
            "GET /api/v1/auth/me HTTP/1.1",
            "Host: a",
            "Connection: close",
            ...keys.map((key) => `Authorization: Bearer ${key}`),
            "",
            ""
          ].join("\r\n")
        )
      const refused = yield* ask(one.workspaceKey, two.workspaceKey)
      assert.match(refused, /^HTTP\/1\.1 400 /)
      assert.include(refused, "conflicting_credentials")
      assert.match(yield* ask(one.workspaceKey, one.workspaceKey), /^HTTP\/1\.1 200 /)
    })
  )
})
