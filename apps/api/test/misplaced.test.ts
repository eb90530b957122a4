/** Credentials where they do not belong: neither repeated nor kept. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { layer as layerApi, type Tenant, TestApi } from "./support.ts"

const credentialsOf = (tenant: Tenant): ReadonlyArray<string> => [
  tenant.workspaceKey,
  tenant.orgKey,
  "sk-proj-0b9e8d7c6f5a41b2c3d4",
  "sk-ant-api03-0b9e8d7c6f5a41b2c3d4",
  "AIzaSyB0b9e8d7c6f5a41b2c3d4e5f60718293a",
  "gsk_0b9e8d7c6f5a41b2c3d4e5f6"
]

layer(layerApi, { excludeTestServices: true })("a credential", (it) => {
  describe("as the name of something", () => {
    const bodies: ReadonlyArray<
      readonly [method: string, path: string, pointer: string, body: (name: string) => object]
    > = [
      ["POST", "/api/v1/auth/api-keys", "/name", (name) => ({ name })],
      ["PATCH", `/api/v1/auth/api-keys/${UNKNOWN_ID}`, "/name", (name) => ({ name: `the key ${name}` })],
      ["POST", "/api/v1/org/api-keys", "/name", (name) => ({ name })],
      ["POST", "/api/v1/byok/openai", "/name", (name) => ({ key: "sk-x", name })],
      ["PATCH", `/api/v1/byok/${UNKNOWN_ID}`, "/name", (name) => ({ name })],
      ["POST", "/api/v1/agents", "/name", (name) => ({ name })]
    ]
    for (const [method, path, pointer, bodyOf] of bodies) {
      it.effect(`is refused and not repeated: ${method} ${path}`, () =>
        Effect.gen(function* () {
          const api = yield* TestApi
          const tenant = yield* api.tenant
          const key = path.startsWith("/api/v1/org/") ? tenant.orgKey : tenant.workspaceKey
          for (const credential of credentialsOf(tenant)) {
            const { json, status, text } = yield* api.call(method, path, { key, body: bodyOf(credential) })
            assert.strictEqual(status, 422)
            assert.strictEqual(String(json["errors"]![0]!["pointer"]), pointer)
            assert.notInclude(text, credential)
          }
        })
      )
    }

    it.effect("is distinguished from names that only speak of one", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        for (const name of [
          "sk-8",
          "Bearer authentication",
          "apk_ws_ of the website",
          "task-management-of-everybody"
        ]) {
          assert.strictEqual((yield* api.call("POST", "/api/v1/auth/api-keys", { key, body: { name } })).status, 201)
        }
      })
    )
  })

  it.effect("as the name of a member or of a parameter is refused and not repeated", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      for (const credential of credentialsOf(tenant)) {
        const asked = [
          ["POST", "/api/v1/byok/openai", { [credential]: 1 }],
          ["POST", "/api/v1/byok/openai", { [`\n${credential}`]: 1 }],
          ["POST", "/api/v1/runs/", { agent_id: "x", metadata: { [credential]: "x" } }],
          ["POST", "/api/v1/runs/", { agent_id: "x", metadata: { [credential]: 1 } }],
          ["POST", `/api/v1/agents/${UNKNOWN_ID}/webhooks`, { map: { [credential]: "/x" } }],
          ["POST", "/api/v1/agents", { name: "x", endpoint: { url: "https://a.example", [credential]: 1 } }],
          ["GET", `/api/v1/agents?${credential}=1`, undefined],
          ["GET", `/api/v1/auth/me?${credential}`, undefined]
        ] as const
        for (const [method, path, body] of asked) {
          const { status, text } = yield* api.call(method, path, { key, body })
          assert.strictEqual(status, 422, `${method} ${path}`)
          assert.notInclude(text, credential)
        }
      }
    })
  )

  it.effect("as a request id is replaced", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      for (const credential of credentialsOf(yield* api.tenant)) {
        const { headers } = yield* api.call("GET", "/healthz", { headers: { "x-request-id": credential } })
        assert.notStrictEqual(headers.get("x-request-id"), credential)
      }
    })
  )
})

layer(layerApi, { excludeTestServices: true })("a name that is longer than names are", (it) => {
  it.effect("is not repeated", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey: key } = yield* api.tenant
      const name = "n".repeat(10_000)
      for (const [path, body] of [
        ["/api/v1/byok/openai", { key: "sk-x", [name]: 1 }],
        [`/api/v1/byok/openai?${name}=1`, { key: "sk-x" }]
      ] as const) {
        const { json, status, text } = yield* api.call("POST", path, { key, body })
        assert.strictEqual(status, 422)
        assert.match(String(json["errors"]![0]!["pointer"]), /^[/?]…$/)
        assert.isBelow(text.length, 1_000)
      }
    })
  )
})
