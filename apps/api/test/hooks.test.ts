/** Requests to inbound URLs. Spec: Inbound hooks. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { givenWebhook, runOf, sendHook } from "./inbound.ts"
import { rawRequest } from "./rawRequest.ts"
import { type Call, layer as layerApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("inbound webhooks", (it) => {
  describe("POST /api/v1/hooks/{agent_id}/{token}", () => {
    it.effect("answers 202 with a run whose input is the body, and notes that it received something", () =>
      Effect.gen(function* () {
        const { agent, api, hook, tenant } = yield* givenWebhook()
        const { json, status } = yield* sendHook(hook, { order: { id: 7 } })
        assert.strictEqual(status, 202)
        const run = yield* runOf(tenant, json)
        assert.deepInclude(run, {
          run_id: json["run_id"],
          session_id: json["session_id"],
          agent_id: agent,
          input: { order: { id: 7 } },
          trigger: { type: "webhook", id: null }
        })
        const read = yield* api.call("GET", `/api/v1/agents/${agent}`, { key: tenant.workspaceKey })
        assert.isString(read.json["webhook"]!["last_received_at"])
      })
    )

    it.effect("maps the body to the input by JSON pointers", () =>
      Effect.gen(function* () {
        const map = { all: "", first: "/items/0/name", odd: "/a~1b/~0c", none: "/items/9", text: "/items/0/name/x" }
        const { hook, tenant } = yield* givenWebhook({ map })
        const body = { items: [{ name: "one" }], "a/b": { "~c": null, __proto__: 1 } }
        const { json } = yield* sendHook(hook, body)
        const expected = { all: JSON.parse(JSON.stringify(body)), first: "one", odd: null, none: null, text: null }
        assert.deepStrictEqual((yield* runOf(tenant, json))["input"], expected)
      })
    )

    it.effect("takes forms, and the event that GitHub puts into one", () =>
      Effect.gen(function* () {
        const { hook, tenant } = yield* givenWebhook()
        const form = (raw: string) =>
          sendHook(hook, undefined, { raw, headers: { "content-type": "application/x-www-form-urlencoded" } })
        const plain = yield* form("a=1&b=x+y&b=%C3%BC")
        assert.deepStrictEqual((yield* runOf(tenant, plain.json))["input"], { a: "1", b: ["x y", "ü"] })
        const wrapped = yield* form(`payload=${encodeURIComponent('{"zen": "Keep it simple"}')}`)
        assert.deepStrictEqual((yield* runOf(tenant, wrapped.json))["input"], { zen: "Keep it simple" })
      })
    )

    it.effect("takes a form of up to 1,000 fields, and names like those of objects' own members", () =>
      Effect.gen(function* () {
        const { hook, tenant } = yield* givenWebhook()
        const form = (raw: string) =>
          sendHook(hook, undefined, { raw, headers: { "content-type": "application/x-www-form-urlencoded" } })
        const odd = yield* form("__proto__=1&constructor=2&constructor=3")
        const input = (yield* runOf(tenant, odd.json))["input"] as object
        assert.deepStrictEqual(Object.entries(input), [
          ["__proto__", "1"],
          ["constructor", ["2", "3"]]
        ])
        const fields = (count: number) =>
          Array.from({ length: count }, (_, index) => `${index.toString(36)}=`).join("&")
        assert.strictEqual((yield* form(fields(1_000))).status, 202)
        for (const raw of [fields(1_001), "a=&".repeat(1_000), fields(130_000)]) {
          const { json, status } = yield* form(raw)
          assert.strictEqual(status, 422)
          assert.include(String(json["detail"]), "at most 1000 fields")
        }
      })
    )

    it.effect("answers 404 to an unknown token without having read the body", () =>
      Effect.gen(function* () {
        const { hook } = yield* givenWebhook()
        // No byte of the body is ever sent.
        const answer = yield* rawRequest(
          `POST ${hook}x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`
        )
        assert.match(answer, /^HTTP\/1\.1 404 /)
      })
    )

    it.effect("answers 404 alike to another token, another agent and what is no id", () =>
      Effect.gen(function* () {
        const { hook } = yield* givenWebhook()
        const other = yield* givenWebhook()
        const token = hook.split("/").at(-1)!
        const paths = [
          `${hook}x`,
          hook.replace(token, "a"),
          `/api/v1/hooks/${other.agent}/${token}`,
          `/api/v1/hooks/nonsense/${token}`
        ]
        const answers = yield* Effect.forEach(paths, (path) => sendHook(path, {}))
        for (const { json, status } of answers) assert.strictEqual(`${status} ${json["code"]}`, "404 not_found")
      })
    )

    it.effect("answers 400, 413, 415 and 422 to bodies that it cannot take", () =>
      Effect.gen(function* () {
        const { hook } = yield* givenWebhook()
        const cases: ReadonlyArray<readonly [string, Call]> = [
          ["400 malformed_json", { raw: "{" }],
          ["400 malformed_json", { raw: "" }],
          ["413 body_too_large", { raw: JSON.stringify("x".repeat(1024 * 1024)) }],
          ["415 unsupported_media_type", { raw: "x", headers: { "content-type": "text/plain" } }],
          ["415 unsupported_media_type", { raw: "{}", headers: { "content-type": "application/json;charset=utf-16" } }],
          [
            "415 unsupported_media_type",
            { raw: "a=1", headers: { "content-type": "application/x-www-form-urlencoded; charset=latin1" } }
          ],
          ["422 validation_failed", { body: "x".repeat(257 * 1024) }],
          ["422 validation_failed", { body: {}, headers: { "idempotency-key": "two words" } }]
        ]
        for (const [expected, call] of cases) {
          const { json, status } = yield* sendHook(hook, undefined, call)
          assert.strictEqual(`${status} ${json["code"]}`, expected)
        }
      })
    )

    it.effect("repeats the token in no answer", () =>
      Effect.gen(function* () {
        const { api, hook } = yield* givenWebhook({ verification: "github" })
        const token = hook.split("/").at(-1)!
        for (const [method, path] of [
          ["POST", hook],
          ["POST", `${hook}x`],
          ["GET", hook],
          ["POST", `${hook}/`],
          ["POST", `${hook}/more`],
          ["POST", `/${hook}`],
          ["POST", hook.replace("hooks", "HOOKS")],
          ["POST", hook.replace("hooks", "%68ooks")],
          ["POST", hook.replace("/api", "/%61%70i")],
          ["POST", `${hook.replace("hooks", "%68ooks")}%2Fx`],
          ["POST", hook.replace("/hooks/", "//hooks/")],
          ["POST", hook.replaceAll("/", "%2F").replace("%2F", "/")],
          ["POST", hook.replace("hooks", "%2568ooks")],
          ["POST", `${hook}?a=%`],
          ["POST", `${hook};a`]
        ] as const) {
          const answer = yield* api.call(method, path, method === "GET" ? {} : { body: {} })
          assert.isAtLeast(answer.status, 400)
          assert.notInclude(answer.text, token, `${method} ${path}`)
        }
      })
    )

    it.effect("triggers one run for one Idempotency-Key, and without one a run each time", () =>
      Effect.gen(function* () {
        const { hook } = yield* givenWebhook()
        const [one, two] = [yield* sendHook(hook, {}), yield* sendHook(hook, {})]
        assert.notStrictEqual(String(one.json["run_id"]), String(two.json["run_id"]))
        const keyed = (body: unknown) => sendHook(hook, body, { headers: { "idempotency-key": "k" } })
        const answers = yield* Effect.all(
          Array.from({ length: 5 }, () => keyed({ a: 1 })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(answers.map(({ json }) => String(json["run_id"]))).size, 1)
        const other = yield* keyed({ a: 2 })
        assert.strictEqual(`${other.status} ${other.json["code"]}`, "422 idempotency_key_reused")
      })
    )
  })
})
