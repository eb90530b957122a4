import { PROBLEMS } from "@agent-platform/contract"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Readiness } from "../src/Readiness.ts"
import { BASE_URL, layer as layerApi, layerMemory, layerOver, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("addresses without a credential", (it) => {
  describe("GET /healthz", () => {
    it.effect("answers 200", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { json, status } = yield* api.call("GET", "/healthz")
        assert.strictEqual(status, 200)
        assert.strictEqual(String(json["status"]), "ok")
      })
    )
  })

  describe("GET /readyz", () => {
    it.effect("answers 200 when the database is there and its schema current", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        assert.strictEqual((yield* api.call("GET", "/readyz")).status, 200)
      })
    )
  })

  describe("GET /openapi.json", () => {
    it.effect("answers 200 with an OpenAPI 3.1 document that names this server", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { json, status } = yield* api.call("GET", "/openapi.json")
        assert.strictEqual(status, 200)
        assert.strictEqual(String(json["openapi"]), "3.1.0")
        assert.strictEqual(String(json["servers"]![0]!["url"]), BASE_URL)
        assert.isDefined(json["paths"]!["/api/v1/runs/"])
      })
    )
  })

  describe("GET /problems/{code}", () => {
    it.effect("answers 200 with a page for every code", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const index = yield* api.call("GET", "/problems")
        for (const code of Object.keys(PROBLEMS)) {
          const { headers, status, text } = yield* api.call("GET", `/problems/${code}`)
          assert.strictEqual(status, 200)
          assert.include(headers.get("content-type") ?? "", "text/html")
          assert.include(text, `<code>${code}</code>`)
          assert.include(index.text, `problems/${code}`)
        }
      })
    )

    it.effect("answers 404 to another code", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        for (const code of ["nope", "toString", "__proto__"]) {
          assert.strictEqual((yield* api.call("GET", `/problems/${code}`)).status, 404)
        }
      })
    )
  })
})

for (const readiness of [
  "database_unreachable",
  "database_read_only",
  "database_pooled",
  "migrations_pending"
] satisfies ReadonlyArray<Readiness>) {
  const layerNotReady = layerOver(layerMemory, { readiness: Effect.succeed(readiness) })
  layer(layerNotReady, { excludeTestServices: true })(`a server with ${readiness}`, (it) => {
    it.effect("is alive and not ready", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        assert.strictEqual((yield* api.call("GET", "/healthz")).status, 200)
        const { headers, json, status } = yield* api.call("GET", "/readyz")
        assert.strictEqual(`${status} ${json["code"]}`, "503 unavailable")
        assert.isNotNull(headers.get("retry-after"))
      })
    )
  })
}
