/** Faults behind the edge: the database's, and ours. */
import { ApiKeyStore } from "@agent-platform/keys"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerMemory, layerOver, TestApi } from "./support.ts"

const keysWith = (findByHash: () => Effect.Effect<never>) =>
  layerOver(
    Layer.provideMerge(
      Layer.effect(
        ApiKeyStore,
        Effect.map(ApiKeyStore, (store) => ({ ...store, findByHash }))
      ),
      layerMemory
    )
  )

const refusals: ReadonlyArray<readonly [string, unknown]> = [
  ["refuses connections", { _tag: "SqlError", reason: { _tag: "ConnectionError", cause: { code: "ECONNREFUSED" } } }],
  ["is shut down", { _tag: "SqlError", reason: { _tag: "UnknownError", cause: { code: "57P01" } } }],
  [
    "is starting up",
    { _tag: "SqlError", reason: { _tag: "UnknownError", cause: new AggregateError([{ code: "57P03" }]) } }
  ],
  ["has no connection left", new Error("wrapped", { cause: { code: "53300" } })]
]

for (const [what, defect] of refusals) {
  layer(
    keysWith(() => Effect.die(defect)),
    { excludeTestServices: true }
  )(`a database that ${what}`, (it) => {
    it.effect("makes requests answer 503 with Retry-After", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const { headers, json, status } = yield* api.call("GET", "/api/v1/agents", { key: workspaceKey })
        assert.strictEqual(`${status} ${json["code"]}`, "503 unavailable")
        assert.isNotNull(headers.get("retry-after"))
      })
    )
  })
}

layer(
  keysWith(() => Effect.die(new Error('relation "api_key" does not exist'))),
  { excludeTestServices: true }
)("a fault of ours", (it) => {
  it.effect("answers 500 and keeps to itself what it was", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const { json, status, text } = yield* api.call("GET", "/api/v1/agents", { key: workspaceKey })
      assert.strictEqual(`${status} ${json["code"]}`, "500 internal_error")
      assert.notInclude(text, "api_key")
    })
  )
})
