/** What holds for every endpoint of the contract, new ones included. */
import { Access, Api, Formats, JsonBody } from "@agent-platform/contract"
import { WORKSPACE_SCOPES } from "@agent-platform/keys"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { type Call, layer as layerApi, type Tenant, TestApi } from "./support.ts"

interface Endpoint {
  readonly id: string
  readonly method: string
  /** With an unknown id in place of each parameter. */
  readonly path: string
  readonly endpoint: HttpApiEndpoint.Top
  readonly access: Access["Service"] | undefined
  readonly errors: ReadonlyArray<number>
  readonly formats: ReadonlyArray<string>
  readonly hasBody: boolean
}

const UNKNOWN_ID = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"

const endpoints: Array<Endpoint> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, errors, group }) => {
    endpoints.push({
      id: `${group.identifier}.${endpoint.identifier}`,
      method: endpoint.method,
      path: endpoint.path.replaceAll(/:\w+/g, UNKNOWN_ID),
      endpoint,
      access: Context.getOrUndefined(endpoint.annotations, Access),
      errors: [...errors.keys()],
      formats: Context.getOrUndefined(endpoint.annotations, Formats) ?? ["application/json"],
      hasBody: endpoint.payload.size > 0
    })
  }
})

const keyFor = (tenant: Tenant, endpoint: Endpoint): string =>
  endpoint.access?.reach === "organization" ? tenant.orgKey : tenant.workspaceKey

const bodyFor = (endpoint: Endpoint): Call => (endpoint.hasBody ? { body: {} } : {})

layer(layerApi, { excludeTestServices: true })("every endpoint", (it) => {
  const each = (
    title: string,
    only: (endpoint: Endpoint) => boolean,
    test: (endpoint: Endpoint, api: TestApi["Service"], tenant: Tenant) => Effect.Effect<void>
  ) =>
    describe(title, () => {
      for (const endpoint of endpoints.filter(only)) {
        it.effect(endpoint.id, () =>
          Effect.gen(function*() {
            const api = yield* TestApi
            yield* test(endpoint, api, yield* api.tenant)
          }))
      }
    })
  const all = () => true

  each("says who may call it, what it does, and which problems it answers", all, (endpoint) =>
    Effect.sync(() => {
      assert.isDefined(endpoint.access)
      assert.isDefined(Context.getOrUndefined(endpoint.endpoint.annotations, OpenApi.Description))
      assert.isDefined(Context.getOrUndefined(endpoint.endpoint.annotations, OpenApi.Summary))
      for (const status of [400, 401, 403, 404, 406, 422, 500, 503]) assert.include(endpoint.errors, status)
      assert.strictEqual(endpoint.endpoint.middlewares.has(JsonBody), endpoint.hasBody)
    }))

  each("answers 401 without a credential and says how to authenticate", all, (endpoint, api) =>
    Effect.gen(function*() {
      const answer = yield* api.call(endpoint.method, endpoint.path, bodyFor(endpoint))
      assert.strictEqual(answer.status, 401)
      assert.strictEqual(String(answer.json["code"]), "missing_credential")
      assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer realm=\"agent-platform\"")
    }))

  each(
    "answers 403 to a key that lacks its scope",
    ({ access }) => access?.scope != null,
    (endpoint, api, tenant) =>
      Effect.gen(function*() {
        const organization = endpoint.access?.reach === "organization"
        const scopes = WORKSPACE_SCOPES.filter((scope) => scope !== endpoint.access?.scope)
        const key = yield* api.keyWith(tenant, { organization, scopes })
        const answer = yield* api.call(endpoint.method, endpoint.path, { key, ...bodyFor(endpoint) })
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(String(answer.json["code"]), "insufficient_scope")
      })
  )

  each(
    "answers 403 to a workspace key where it concerns the organization",
    ({ access }) => access?.reach === "organization",
    (endpoint, api, tenant) =>
      Effect.gen(function*() {
        const answer = yield* api.call(endpoint.method, endpoint.path, {
          key: tenant.workspaceKey,
          ...bodyFor(endpoint)
        })
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(String(answer.json["code"]), "org_key_required")
      })
  )

  each(
    "answers 400 to an organization key that names no workspace where it needs one",
    ({ access }) => access?.reach === "workspace",
    (endpoint, api, tenant) =>
      Effect.gen(function*() {
        for (const headers of [{}, { "x-workspace-id": "" }]) {
          const answer = yield* api.call(endpoint.method, endpoint.path, {
            key: tenant.orgKey,
            headers,
            ...bodyFor(endpoint)
          })
          assert.strictEqual(answer.status, 400)
          assert.strictEqual(String(answer.json["code"]), "workspace_required")
        }
      })
  )

  each("answers 404 to a workspace that the key does not reach, be it unknown, malformed or foreign", all, (endpoint, api, tenant) =>
    Effect.gen(function*() {
      const stranger = yield* api.tenant
      for (const workspace of [UNKNOWN_ID, "nonsense", stranger.workspaceId]) {
        const answer = yield* api.call(endpoint.method, endpoint.path, {
          key: keyFor(tenant, endpoint),
          headers: { "x-workspace-id": workspace },
          ...bodyFor(endpoint)
        })
        assert.strictEqual(answer.status, 404)
      }
    }))

  each("answers 404 to unknown and to malformed ids", ({ path }) => path.includes(UNKNOWN_ID), (endpoint, api, tenant) =>
    Effect.gen(function*() {
      for (const id of [UNKNOWN_ID, "nonsense", UNKNOWN_ID.toUpperCase(), "a".repeat(300), "%00"]) {
        const path = endpoint.path.replaceAll(UNKNOWN_ID, id)
        const answer = yield* api.call(endpoint.method, path, { key: keyFor(tenant, endpoint), ...bodyFor(endpoint) })
        assert.strictEqual(answer.status, 404, path)
      }
    }))

  each("answers 406 when no format that it has is accepted", all, (endpoint, api, tenant) =>
    Effect.gen(function*() {
      const answer = yield* api.call(endpoint.method, endpoint.path, {
        key: keyFor(tenant, endpoint),
        headers: { accept: "text/html, application/xml;q=0.9, application/json;q=0, */*;q=0" },
        ...bodyFor(endpoint)
      })
      assert.strictEqual(answer.status, 406)
      for (const format of endpoint.formats) assert.include(String(answer.json["detail"]), format)
    }))

  each("answers 422 to query parameters that it does not know, naming them", all, (endpoint, api, tenant) =>
    Effect.gen(function*() {
      const answer = yield* api.call(endpoint.method, `${endpoint.path}?colour=red&size=1`, {
        key: keyFor(tenant, endpoint),
        ...bodyFor(endpoint)
      })
      assert.strictEqual(answer.status, 422)
      const pointers = (answer.json["errors"] as unknown as ReadonlyArray<{ pointer: string; code: string }>)
        .filter(({ code }) => code === "unknown_parameter").map(({ pointer }) => pointer)
      assert.deepStrictEqual(pointers, ["?colour", "?size"])
    }))

  each("answers 400 to a body that is missing, broken, not UTF-8 or nested too deep", ({ hasBody }) => hasBody, (endpoint, api, tenant) =>
    Effect.gen(function*() {
      const broken = ["", " ", "{", "{\"name\": }", "[".repeat(5_000) + "]".repeat(5_000), new Uint8Array([0x22, 0xff, 0x22])]
      for (const raw of broken) {
        const answer = yield* api.call(endpoint.method, endpoint.path, { key: keyFor(tenant, endpoint), raw })
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(String(answer.json["code"]), "malformed_json")
      }
    }))

  each("answers 413 to more than 1 MiB, however it is sent", ({ hasBody }) => hasBody, (endpoint, api, tenant) =>
    Effect.gen(function*() {
      const raw = JSON.stringify({ name: "x".repeat(3 * 1024 * 1024) })
      const answer = yield* api.call(endpoint.method, endpoint.path, { key: keyFor(tenant, endpoint), raw })
      assert.strictEqual(answer.status, 413)
      assert.strictEqual(String(answer.json["code"]), "body_too_large")
    }))

  each("answers 415 to another media type, to none, and to a content encoding", ({ hasBody }) => hasBody, (endpoint, api, tenant) =>
    Effect.gen(function*() {
      const headers: ReadonlyArray<Record<string, string>> = [
        { "content-type": "text/plain" },
        { "content-type": "application/x-www-form-urlencoded" },
        { "content-type": "application/jsonp" },
        { "content-encoding": "gzip" }
      ]
      for (const header of headers) {
        const answer = yield* api.call(endpoint.method, endpoint.path, {
          key: keyFor(tenant, endpoint),
          raw: "{}",
          headers: header
        })
        assert.strictEqual(answer.status, 415)
      }
    }))

  each("answers 422 to a body that is not an object, and to members that it does not know", ({ hasBody }) => hasBody, (endpoint, api, tenant) =>
    Effect.gen(function*() {
      for (const raw of ["null", "1", "\"x\"", "[]", "true"]) {
        const answer = yield* api.call(endpoint.method, endpoint.path, { key: keyFor(tenant, endpoint), raw })
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual(answer.json["errors"] as unknown, [
          { pointer: "", code: "invalid_type", detail: "must be an object" }
        ])
      }
      const answer = yield* api.call(endpoint.method, endpoint.path, {
        key: keyFor(tenant, endpoint),
        raw: "{\"a/b~c\": 1, \"__proto__\": 2, \"constructor\": 3}"
      })
      const pointers = (answer.json["errors"] as unknown as ReadonlyArray<{ pointer: string; code: string }>)
        .filter(({ code }) => code === "unknown_parameter").map(({ pointer }) => pointer)
      assert.sameMembers(pointers, ["/a~1b~0c", "/__proto__", "/constructor"])
    }))

  each("answers the same with and without a slash at the end", all, (endpoint, api, tenant) =>
    Effect.gen(function*() {
      const plain = endpoint.path.replace(/\/$/, "")
      const call = { key: keyFor(tenant, endpoint), ...bodyFor(endpoint) }
      const first = yield* api.call(endpoint.method, plain, call)
      const second = yield* api.call(endpoint.method, `${plain}/`, call)
      assert.strictEqual(second.status, first.status)
      assert.isUndefined(second.headers.get("location") ?? undefined)
    }))

  each("answers OPTIONS with its methods and another method with 405", all, (endpoint, api) =>
    Effect.gen(function*() {
      const options = yield* api.call("OPTIONS", endpoint.path)
      assert.strictEqual(options.status, 204)
      const allow = options.headers.get("allow") ?? ""
      assert.include(allow, endpoint.method)
      const wrong = yield* api.call("PATCH", endpoint.path)
      assert.strictEqual(wrong.status, 405)
      assert.strictEqual(wrong.headers.get("allow"), allow)
      assert.strictEqual(String(wrong.json["code"]), "method_not_allowed")
    }))

  each("answers HEAD like GET, without a body", ({ method }) => method === "GET", (endpoint, api, tenant) =>
    Effect.gen(function*() {
      const call = { key: keyFor(tenant, endpoint) }
      const get = yield* api.call("GET", endpoint.path, call)
      const head = yield* api.call("HEAD", endpoint.path, call)
      assert.strictEqual(head.status, get.status)
      assert.strictEqual(head.text, "")
    }))

  each("does not know itself under another case", all, (endpoint, api, tenant) =>
    Effect.gen(function*() {
      const path = endpoint.path.replace("/api/", "/API/")
      const answer = yield* api.call(endpoint.method, path, { key: keyFor(tenant, endpoint), ...bodyFor(endpoint) })
      assert.strictEqual(answer.status, 404)
    }))
})
