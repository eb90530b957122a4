/** Rules for every request. */

import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { openConnection } from "./rawConnection.ts"
import { rawRequest } from "./rawRequest.ts"
import { BASE_URL, layer as layerApi, TestApi } from "./support.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

layer(layerApi, { excludeTestServices: true })("the edge", (it) => {
  describe("request ids", () => {
    it.effect("are the caller's own when they are sane, in the header and in the problem", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const own = "x".repeat(128)
        const { headers, json } = yield* api.call("GET", "/nope", { headers: { "x-request-id": own } })
        assert.strictEqual(headers.get("x-request-id"), own)
        assert.strictEqual(String(json["request_id"]), own)
      })
    )

    it.effect("are made where they are missing, empty, too long or hold a space", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        for (const own of ["", "x".repeat(129), "a b", "\u00e9"]) {
          const { headers } = yield* api.call("GET", "/healthz", { headers: { "x-request-id": own } })
          assert.match(headers.get("x-request-id") ?? "", UUID)
        }
      })
    )
  })

  describe("problems", () => {
    it.effect("have the members of RFC 9457 and ours, and a type that is a page here", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { headers, json, status } = yield* api.call("GET", "/nope?secret=1")
        assert.strictEqual(headers.get("content-type"), "application/problem+json")
        const { request_id, ...rest } = json as unknown as Record<string, unknown>
        assert.strictEqual(request_id, headers.get("x-request-id"))
        assert.deepStrictEqual(rest, {
          type: `${BASE_URL}/problems/not_found`,
          title: "Not found",
          status,
          detail: "There is no such address: /docs lists those that there are",
          instance: "/",
          code: "not_found",
          retryable: false
        })
        const page = yield* api.call("GET", "/problems/not_found")
        assert.strictEqual(page.status, 200)
      })
    )

    it.effect("call a word that is not known a wrong value, and what is no word a wrong type", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const codesOf = (path: string, body?: unknown) =>
          Effect.map(
            api.call(body === undefined ? "GET" : "POST", path, {
              key: workspaceKey,
              ...(body === undefined ? {} : { body })
            }),
            ({ json }) =>
              (json["errors"] as unknown as ReadonlyArray<{ readonly code: string }>).map(({ code }) => code)
          )
        const trigger = (if_busy: unknown) => codesOf("/api/v1/runs/", { agent_id: "x", if_busy })
        assert.deepStrictEqual(yield* trigger("maybe"), ["invalid_value"])
        assert.deepStrictEqual(yield* trigger(1), ["invalid_type"])
        assert.deepStrictEqual(yield* codesOf("/api/v1/runs/?status=lost"), ["invalid_value"])
      })
    )

    it.effect("say of a fraction what they say of a whole number that is out of bounds, once", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        for (const limit of ["1.5", "0", "50.5"]) {
          const { json } = yield* api.call("GET", `/api/v1/runs/?limit=${limit}`, { key })
          assert.deepStrictEqual<unknown>(
            (json["errors"] as unknown as ReadonlyArray<{ readonly detail: string }>).map(({ detail }) => detail),
            ["must be a whole number from 1 to 50"],
            limit
          )
        }
      })
    )

    it.effect("never reveal what went wrong inside", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { text } = yield* api.call("GET", "/api/v1/runs/%27%3B%20drop%20table/logs")
        assert.notMatch(text, /at |node_modules|Error:|sql|Schema/i)
      })
    )
  })

  describe("every response", () => {
    it.effect("may not be stored or guessed at", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        for (const [path, key] of [
          ["/api/v1/agents", workspaceKey],
          ["/nope", undefined],
          ["/healthz", undefined]
        ] as const) {
          const { headers } = yield* api.call("GET", path, { key })
          assert.strictEqual(headers.get("cache-control"), "no-store")
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          assert.strictEqual(headers.get("content-security-policy"), "default-src 'none'; frame-ancestors 'none'")
          assert.strictEqual(headers.get("strict-transport-security"), "max-age=31536000")
          assert.isNull(headers.get("x-powered-by"))
        }
      })
    )
  })

  describe("addresses", () => {
    it.effect("answer 400 where their percent-encoding is invalid", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        for (const path of [
          "/%",
          "/api/v1/runs/%zz",
          "/api/v1/runs/%c3%28",
          "/api/v1/agents?cursor=%ff",
          "/healthz?%"
        ]) {
          const { json, status } = yield* api.call("GET", path)
          assert.strictEqual(`${status} ${json["code"]}`, "400 malformed_request", path)
        }
      })
    )

    it.effect("are not found with doubled slashes, dots or another case", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        for (const path of ["//healthz", "/api//v1/agents", "/HEALTHZ", "/api/v1", "/api/v2/agents", "/"]) {
          assert.strictEqual((yield* api.call("GET", path)).status, 404, path)
        }
      })
    )

    it.effect("take OPTIONS without a credential, and 404 where there is nothing", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const known = yield* api.call("OPTIONS", "/healthz")
        assert.strictEqual(known.headers.get("allow"), "GET, HEAD, OPTIONS")
        assert.strictEqual((yield* api.call("OPTIONS", "/nope")).status, 404)
      })
    )
  })

  describe("what is not HTTP", () => {
    const status = (answer: string) => answer.split(" ")[1]
    const body = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))

    it.effect("answers 400 as a problem", () =>
      Effect.gen(function* () {
        for (const text of [
          "nonsense\r\n\r\n",
          "GET / HTTP/9.9\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\nA B: c\r\n\r\n"
        ]) {
          const answer = yield* rawRequest(text)
          assert.strictEqual(status(answer), "400")
          assert.strictEqual(body(answer).code, "malformed_request")
          assert.match(answer, /\r\nX-Request-Id: [0-9a-f-]{36}\r\n/i)
        }
      })
    )

    it.effect("answers 400 without a Host and with several, as a problem", () =>
      Effect.gen(function* () {
        for (const hosts of ["", "Host: a\r\nhost: b\r\n"]) {
          const answer = yield* rawRequest(`GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
          assert.strictEqual(status(answer), "400")
          assert.strictEqual(body(answer).code, "malformed_request")
        }
        const old = yield* rawRequest("GET /healthz HTTP/1.0\r\nConnection: close\r\n\r\n")
        assert.strictEqual(status(old), "200")
      })
    )

    it.effect(
      "answers a request that asks for another protocol as if it did not, and goes on with its connection",
      () =>
        Effect.gen(function* () {
          const api = yield* TestApi
          const connection = openConnection(api.port)
          const ask = (headers: string, body: string) =>
            Effect.promise(() =>
              connection.ask(
                `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`
              )
            )
          for (const protocol of ["websocket", "h2c"]) {
            const { status } = yield* ask(`Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`, "{}")
            assert.strictEqual(status, 401)
          }
          assert.strictEqual((yield* ask("", "")).status, 401)
          connection.close()
        })
    )

    it.effect("answers 400 to an expectation that nobody knows, as a problem with the caller's request id", () =>
      Effect.gen(function* () {
        const answer = yield* rawRequest("GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nX-Request-Id: own\r\n\r\n")
        assert.strictEqual(status(answer), "400")
        assert.strictEqual(body(answer).code, "malformed_request")
        assert.strictEqual(body(answer).request_id, "own")
        assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/i)
      })
    )

    it.effect("answers 400 to a length and chunks at once, which smugglers send", () =>
      Effect.gen(function* () {
        const head =
          "POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        assert.strictEqual(status(yield* rawRequest(head)), "400")
      })
    )

    it.effect("answers 431 to headers that are too large", () =>
      Effect.gen(function* () {
        const answer = yield* rawRequest(
          `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${"x".repeat(20_000)}\r\n\r\n`
        )
        assert.strictEqual(status(answer), "431")
        assert.strictEqual(body(answer).code, "headers_too_large")
        assert.strictEqual(body(answer).type, `${BASE_URL}/problems/headers_too_large`)
      })
    )
  })
})
