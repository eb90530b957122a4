/** How one may ask: the same for every endpoint of the contract, new ones included. */
import { bodyLimitOf } from "@agent-platform/contract"
import { assert, layer } from "@effect/vitest"
import { Effect, SchemaAST } from "effect"
import {
  all,
  bodyFor,
  type Endpoint,
  endpoints,
  ends,
  hasKnownQuery,
  keyFor,
  makeEach,
  takesKeyedBody,
  takesKeys,
  wholeKey
} from "./endpoints.ts"
import { type Answer, layer as layerApi } from "./support.ts"

/** The first endpoint with each limit of bodies. */
const firstOf = new Map(
  endpoints
    .filter(takesKeyedBody)
    .map((one) => [bodyLimitOf(one.endpoint) ?? 0, one] as const)
    .toReversed()
)

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

layer(layerApi, { excludeTestServices: true })("every endpoint", (it) => {
  const each = makeEach(it)

  each("answers 406 when no format that it has is accepted", all, (endpoint, api, tenant) =>
    Effect.gen(function* () {
      const answer = yield* api.call(endpoint.method, endpoint.path, {
        key: keyFor(tenant, endpoint),
        headers: { accept: "image/png, application/xml;q=0.9, application/json;q=0, */*;q=0" },
        ...bodyFor(endpoint)
      })
      assert.strictEqual(answer.status, 406)
      for (const format of endpoint.formats) assert.include(String(answer.json["detail"]), format)
    })
  )

  const namesQuery = (endpoint: Endpoint) => takesKeys(endpoint) && hasKnownQuery(endpoint)
  each("answers 422 to query parameters that it does not know, naming them", namesQuery, (endpoint, api, tenant) =>
    Effect.gen(function* () {
      const answer = yield* api.call(endpoint.method, `${endpoint.path}?colour=red&size=1&typo=`, {
        key: yield* wholeKey(api, tenant, keyFor(tenant, endpoint) === tenant.orgKey),
        ...bodyFor(endpoint)
      })
      assert.strictEqual(answer.status, 422)
      const pointers = (answer.json["errors"] as unknown as ReadonlyArray<{ pointer: string; code: string }>)
        .filter(({ code }) => code === "unknown_parameter")
        .map(({ pointer }) => pointer)
      assert.deepStrictEqual(pointers, ["?colour", "?size", "?typo"])
    })
  )

  const queryOf = ({ endpoint: { query } }: Endpoint) =>
    query !== undefined && SchemaAST.isObjects(query.ast)
      ? query.ast.propertySignatures.map(({ name }) => String(name))
      : []
  each(
    "takes a query parameter that is empty as one that is absent",
    (endpoint) => takesKeys(endpoint) && ends(endpoint) && queryOf(endpoint).length > 0,
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        const call = { key: keyFor(tenant, endpoint), ...bodyFor(endpoint) }
        const plain = yield* api.call(endpoint.method, endpoint.path, call)
        const query = queryOf(endpoint).map((name) => `${name}=`)
        const empty = yield* api.call(endpoint.method, `${endpoint.path}?${query.join("&")}`, call)
        assert.strictEqual(empty.status, plain.status)
        assert.deepStrictEqual(empty.json["errors"] as unknown, plain.json["errors"])
      })
  )

  each(
    "takes a request without a body as one whose object has no members, whatever type it is said to be of",
    takesKeyedBody,
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        const key = keyFor(tenant, endpoint)
        const empty = yield* api.call(endpoint.method, endpoint.path, { key, raw: "{}" })
        for (const headers of [{}, { "content-type": "text/plain" }]) {
          const none = yield* api.call(endpoint.method, endpoint.path, { key, headers })
          assert.strictEqual(none.status, empty.status)
          assert.deepStrictEqual(none.json["errors"] as unknown, empty.json["errors"])
        }
      })
  )

  each(
    "answers 400 to a body that is blank, broken, not UTF-8 or nested too deep",
    takesKeyedBody,
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        const broken = [
          " ",
          "{",
          '{"name": }',
          "[".repeat(5_000) + "]".repeat(5_000),
          new Uint8Array([0x22, 0xff, 0x22])
        ]
        for (const raw of broken) {
          const answer = yield* api.call(endpoint.method, endpoint.path, { key: keyFor(tenant, endpoint), raw })
          assert.strictEqual(answer.status, 400)
          assert.strictEqual(String(answer.json["code"]), "malformed_json")
        }
      })
  )

  each("answers 413 to a byte more than it takes, and to megabytes more", takesKeyedBody, (endpoint, api, tenant) =>
    Effect.gen(function* () {
      const limit = bodyLimitOf(endpoint.endpoint) ?? 0
      const send = (bytes: number) =>
        api.call(endpoint.method, endpoint.path, { key: keyFor(tenant, endpoint), raw: "[]".padEnd(bytes) })
      assert.strictEqual((yield* send(limit)).status, 422)
      // Megabytes once for each limit: it is one reader of bodies that all have.
      const more = firstOf.get(limit) === endpoint ? [limit + 3 * 1024 * 1024] : []
      for (const bytes of [limit + 1, ...more]) {
        const { json, status } = yield* send(bytes)
        assert.strictEqual(`${status} ${json["code"]}`, "413 body_too_large")
        assert.strictEqual(String(json["detail"]), `The body is larger than ${limit} bytes`)
      }
    })
  )

  each(
    "answers 415 to another media type, to none, to another charset, and to a content encoding",
    takesKeyedBody,
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        const headers: ReadonlyArray<Record<string, string>> = [
          { "content-type": "text/plain" },
          { "content-type": "application/x-www-form-urlencoded" },
          { "content-type": "application/jsonp" },
          { "content-type": "application/json; charset=utf-16" },
          { "content-type": 'application/json; x=1; charset="iso-8859-1"' },
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
      })
  )

  each(
    "answers 422 to a body that is not an object, and to members that it does not know",
    takesKeyedBody,
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        for (const raw of ["null", "1", '"x"', "[]", "true"]) {
          const answer = yield* api.call(endpoint.method, endpoint.path, { key: keyFor(tenant, endpoint), raw })
          assert.strictEqual(answer.status, 422)
          assert.deepStrictEqual(answer.json["errors"] as unknown, [
            { pointer: "", code: "invalid_type", detail: "must be an object" }
          ])
        }
        const answer = yield* api.call(endpoint.method, endpoint.path, {
          key: keyFor(tenant, endpoint),
          raw: '{"a/b~c": 1, "__proto__": 2, "constructor": 3}'
        })
        const pointers = (answer.json["errors"] as unknown as ReadonlyArray<{ pointer: string; code: string }>)
          .filter(({ code }) => code === "unknown_parameter")
          .map(({ pointer }) => pointer)
        assert.sameMembers(pointers, ["/a~1b~0c", "/__proto__", "/constructor"])
      })
  )

  each("answers the same with and without a slash at the end", ends, (endpoint, api, tenant) =>
    Effect.gen(function* () {
      const plain = endpoint.path.replace(/\/$/, "")
      const call = { key: keyFor(tenant, endpoint), ...bodyFor(endpoint) }
      const first = yield* api.call(endpoint.method, plain, call)
      const second = yield* api.call(endpoint.method, `${plain}/`, call)
      assert.strictEqual(second.status, first.status)
      assert.isUndefined(second.headers.get("location") ?? undefined)
    })
  )

  // Also where the address of another endpoint has a parameter in the place of a word of this one's.
  each("answers OPTIONS with its methods and every other method with 405", all, (endpoint, api, tenant) =>
    Effect.gen(function* () {
      const own = endpoints.filter(({ path }) => path === endpoint.path).map(({ method }) => method)
      const expected = [...own, ...(own.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort()
      const allowed = (answer: Answer) => (answer.headers.get("allow") ?? "").split(", ").sort()
      const options = yield* api.call("OPTIONS", endpoint.path)
      assert.strictEqual(options.status, 204)
      assert.deepStrictEqual(allowed(options), expected)
      for (const method of METHODS.filter((method) => !own.includes(method))) {
        const wrong = yield* api.call(method, endpoint.path, { key: keyFor(tenant, endpoint) })
        assert.strictEqual(wrong.status, 405, method)
        assert.deepStrictEqual(allowed(wrong), expected)
        assert.strictEqual(String(wrong.json["code"]), "method_not_allowed")
      }
    })
  )

  each(
    "answers HEAD like GET, without a body",
    (endpoint) => endpoint.method === "GET" && ends(endpoint),
    (endpoint, api, tenant) =>
      Effect.gen(function* () {
        const call = { key: keyFor(tenant, endpoint) }
        const get = yield* api.call("GET", endpoint.path, call)
        const head = yield* api.call("HEAD", endpoint.path, call)
        assert.strictEqual(head.status, get.status)
        assert.strictEqual(head.text, "")
      })
  )

  each("does not know itself under another case", all, (endpoint, api, tenant) =>
    Effect.gen(function* () {
      const path = endpoint.path.replace("/api/", "/API/")
      const answer = yield* api.call(endpoint.method, path, { key: keyFor(tenant, endpoint), ...bodyFor(endpoint) })
      assert.strictEqual(answer.status, 404)
    })
  )
})
