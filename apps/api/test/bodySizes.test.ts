/** How much the lists and objects of a body may hold, which is counted before anything in them is looked at. */
import { JsonBody, Strict } from "@agent-platform/contract"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { layerJsonBody } from "../src/edge/layerJsonBody.ts"
import { layerStrict } from "../src/edge/layerStrict.ts"
import { UNKNOWN_ID } from "./endpoints.ts"
import { layer as layerApi, TestApi } from "./support.ts"

const COUNT = 5_000

/** Nothing in it would be taken. */
const list = Array.from({ length: COUNT }, () => 1)
const members = Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`m${index}`, 1]))

const rows: ReadonlyArray<readonly [path: string, pointer: string, body: unknown]> = [
  ["/api/v1/runs/", "/metadata", { metadata: members }],
  ["/api/v1/runs/", "/tags", { tags: list }],
  ["/api/v1/runs/", "", members],
  ["/api/v1/auth/api-keys", "/scopes", { scopes: list }],
  ["/api/v1/auth/api-keys", "/allowed_ips", { allowed_ips: list }],
  ["/api/v1/auth/api-keys", "/metadata", { metadata: members }],
  ["/api/v1/agents", "/recipes", { recipes: list }],
  ["/api/v1/agents", "/tools", { tools: list }],
  ["/api/v1/agents", "/mcp_servers", { mcp_servers: list }],
  ["/api/v1/agents", "/mcp_servers/1/headers", { mcp_servers: [{}, { headers: members }] }],
  ["/api/v1/agents", "/mcp_servers/0", { mcp_servers: [members] }],
  ["/api/v1/agents", "/input_schema", { input_schema: members }],
  [`/api/v1/agents/${UNKNOWN_ID}/webhooks`, "/map", { map: members }],
  ["/api/v1/byok/openai", "/allowed_models", { allowed_models: list }],
  ["/api/v1/notifications/read", "/ids", { ids: list }],
  ["/api/v1/org/webhooks", "/event_types", { event_types: list }],
  ["/api/v1/org/members", "/workspaces", { workspaces: list }]
]

layer(layerApi, { excludeTestServices: true })("what holds too much", (it) => {
  for (const [path, pointer, body] of rows) {
    it.effect(`is the one fault that is reported: ${pointer === "" ? "the body" : pointer} of POST ${path}`, () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const key = path.startsWith("/api/v1/org/") ? tenant.orgKey : tenant.workspaceKey
        const { json, status } = yield* api.call("POST", path, { key, body })
        assert.strictEqual(status, 422)
        const errors = json["errors"] as unknown as ReadonlyArray<{ readonly pointer: string; readonly detail: string }>
        assert.deepStrictEqual(
          errors.map((error) => error.pointer),
          [pointer]
        )
        assert.match(errors[0]!.detail, /^must (have|name) (at most|1 to) \d+ /)
      })
    )
  }

  it.effect("is reported for all parts at once", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const { json } = yield* api.call("POST", "/api/v1/runs/", {
        key: workspaceKey,
        body: { tags: list, metadata: members, priority: "high" }
      })
      assert.deepStrictEqual(
        (json["errors"] as unknown as ReadonlyArray<{ pointer: string }>).map(({ pointer }) => pointer),
        ["/tags", "/metadata"]
      )
    })
  )
})

let looks = 0
const Counted = Schema.String.check(
  Schema.makeFilter((value: string) => {
    looks++
    return value !== "bad"
  })
)

class Probes extends HttpApiGroup.make("probes")
  .add(
    HttpApiEndpoint.post("probe", "/probe", {
      query: { q: Schema.optionalKey(Counted) },
      payload: Schema.Struct({ a: Counted, b: Schema.String }),
      success: Schema.String
    }).middleware(JsonBody)
  )
  .middleware(Strict) {}

class Probing extends HttpApi.make("probing").add(Probes).annotate(HttpApi.PayloadParseOptions, { errors: "all" }) {}

const layerProbes = HttpApiBuilder.group(Probing, "probes", (handlers) =>
  handlers.handle("probe", () => Effect.succeed("ok"))
)

const layerProbing = HttpRouter.serve(
  HttpApiBuilder.layer(Probing).pipe(Layer.provide(layerProbes), Layer.provide([layerStrict, layerJsonBody])),
  { disableLogger: true, disableListenLog: true }
).pipe(Layer.provideMerge(NodeHttpServer.layerTest))

layer(layerProbing, { excludeTestServices: true })("a request", (it) => {
  const ask = (query: string, body: unknown) =>
    Effect.gen(function* () {
      looks = 0
      const client = yield* HttpClient.HttpClient
      yield* client.execute(HttpClientRequest.post(`/probe${query}`).pipe(HttpClientRequest.bodyJsonUnsafe(body)))
      return looks
    })

  it.effect("is decoded once, whichever of its parts is faulty", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* ask("", { a: "good", b: "x" }), 1)
      assert.strictEqual(yield* ask("", { a: "bad", b: 1 }), 1)
      assert.strictEqual(yield* ask("?q=good", { a: "bad", b: 1 }), 2)
      assert.strictEqual(yield* ask("?q=bad", { a: "bad", b: 1 }), 2)
    })
  )
})
