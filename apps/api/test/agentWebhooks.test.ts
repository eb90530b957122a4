/** Inbound webhooks: created, used, replaced, deleted. Spec: Agents. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, BASE_URL, type Call, type Json, layer as layerApi, type Tenant, TestApi } from "./support.ts"

/** An agent with an inbound URL, and what was answered to its creation. */
const given = Effect.fnUntraced(function* (body: object = {}) {
  const api = yield* TestApi
  const tenant = yield* api.tenant
  const agent = yield* anAgent(tenant)
  const path = `/api/v1/agents/${agent}/webhooks`
  const { json, status } = yield* api.call("POST", path, { key: tenant.workspaceKey, body })
  assert.strictEqual(status, 201)
  return { api, tenant, agent, path, json, hook: String(json["url"]).slice(BASE_URL.length) }
})

const send = (path: string, body: unknown, call: Call = {}) =>
  Effect.flatMap(TestApi, (api) => api.call("POST", path, { body, ...call }))

const runOf = (tenant: Tenant, receipt: Json) =>
  Effect.flatMap(TestApi, (api) =>
    Effect.map(
      api.call("GET", `/api/v1/runs/${receipt["run_id"]}`, { key: tenant.workspaceKey }),
      ({ json }) => json as unknown as Record<string, unknown>
    )
  )

layer(layerApi, { excludeTestServices: true })("inbound webhooks", (it) => {
  describe("POST /api/v1/agents/{agent_id}/webhooks", () => {
    it.effect("answers 201 with the URL, and the agent says that it has one", () =>
      Effect.gen(function* () {
        const { agent, api, json, tenant } = yield* given()
        const { created_at, url, ...rest } = json as unknown as Record<string, unknown>
        assert.match(String(url), new RegExp(`^${BASE_URL}/api/v1/hooks/${agent}/[A-Za-z0-9_-]{43}$`))
        assert.deepStrictEqual(rest, { agent_id: agent, secret: null, verification: "none", map: null })
        const read = yield* api.call("GET", `/api/v1/agents/${agent}`, { key: tenant.workspaceKey })
        assert.deepStrictEqual(read.json["webhook"] as unknown, {
          active: true,
          verification: "none",
          created_at,
          last_received_at: null
        })
      })
    )

    it.effect("makes up a secret for a sender that signs, or takes the sender's", () =>
      Effect.gen(function* () {
        for (const verification of ["stripe", "github", "standard-webhooks"]) {
          const made = yield* given({ verification })
          assert.match(String(made.json["secret"]), /^whsec_[A-Za-z0-9+/]{43}=$/)
          const taken = yield* given({ verification, secret: "whsec_c2VjcmV0c2VjcmV0" })
          assert.strictEqual(String(taken.json["secret"]), "whsec_c2VjcmV0c2VjcmV0")
        }
      })
    )

    it.effect("shows URL and secret once, not in a repetition", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = `/api/v1/agents/${yield* anAgent(tenant)}/webhooks`
        const call = { key: tenant.workspaceKey, body: { verification: "github" }, headers: { "idempotency-key": "k" } }
        const first = yield* api.call("POST", path, call)
        const second = yield* api.call("POST", path, call)
        assert.strictEqual(`${second.status} ${second.headers.get("idempotency-replayed")}`, "201 true")
        assert.deepStrictEqual(second.json as unknown, { ...(first.json as object), url: null, secret: null })
        assert.strictEqual((yield* send(String(first.json["url"]).slice(BASE_URL.length), {})).status, 401)
      })
    )

    it.effect("answers 422 to a secret or a map that cannot be used", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = `/api/v1/agents/${yield* anAgent(tenant)}/webhooks`
        const bodies: ReadonlyArray<readonly [string, object]> = [
          ["/secret", { secret: "a-secret" }],
          ["/secret", { verification: "stripe", secret: "short" }],
          ["/secret", { verification: "standard-webhooks", secret: "whsec_not base64!" }],
          ["/verification", { verification: "slack" }],
          ["/map/a", { map: { a: "no/pointer" } }],
          ["/map/a", { map: { a: "/~2" } }],
          ["/map/", { map: { "": "/a" } }],
          ["/map", { map: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`m${index}`, ""])) }]
        ]
        for (const [pointer, body] of bodies) {
          const { json, status } = yield* api.call("POST", path, { key: tenant.workspaceKey, body })
          assert.strictEqual(`${status} ${json["errors"]?.[0]?.["pointer"]}`, `422 ${pointer}`, JSON.stringify(body))
        }
      })
    )

    it.effect("replaces the URL that there was, which is 404 at once", () =>
      Effect.gen(function* () {
        const { api, hook, path, tenant } = yield* given()
        assert.strictEqual((yield* send(hook, {})).status, 202)
        const second = yield* api.call("POST", path, { key: tenant.workspaceKey, body: {} })
        assert.strictEqual((yield* send(hook, {})).status, 404)
        assert.strictEqual((yield* send(String(second.json["url"]).slice(BASE_URL.length), {})).status, 202)
      })
    )
  })

  describe("DELETE /api/v1/agents/{agent_id}/webhooks", () => {
    it.effect("answers 200 with strings only, and the second time the same", () =>
      Effect.gen(function* () {
        const { agent, api, path, tenant } = yield* given()
        const { json, status } = yield* api.call("DELETE", path, { key: tenant.workspaceKey })
        assert.strictEqual(status, 200)
        assert.strictEqual(`${json["agent_id"]} ${json["status"]}`, `${agent} deleted`)
        assert.sameMembers(Object.keys(json), ["agent_id", "status", "deleted_at"])
        for (const value of Object.values(json)) assert.isString(value)
        assert.deepStrictEqual((yield* api.call("DELETE", path, { key: tenant.workspaceKey })).json, json)
      })
    )

    it.effect("takes effect at once and keeps the runs that the URL dispatched", () =>
      Effect.gen(function* () {
        const { agent, api, hook, path, tenant } = yield* given()
        const { json } = yield* send(hook, {})
        yield* api.call("DELETE", path, { key: tenant.workspaceKey })
        const refused = yield* send(hook, {})
        assert.strictEqual(`${refused.status} ${refused.json["code"]}`, "404 not_found")
        assert.strictEqual((yield* runOf(tenant, json))["run_id"], String(json["run_id"]))
        const read = yield* api.call("GET", `/api/v1/agents/${agent}`, { key: tenant.workspaceKey })
        assert.strictEqual(read.json["webhook"]!["active"] as unknown, false)
      })
    )

    it.effect("answers 404 for an agent that never had one", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = `/api/v1/agents/${yield* anAgent(tenant)}/webhooks`
        assert.strictEqual((yield* api.call("DELETE", path, { key: tenant.workspaceKey })).status, 404)
      })
    )
  })

  describe("POST /api/v1/hooks/{agent_id}/{token}", () => {
    it.effect("answers 202 with a run whose input is the body, and notes that it received something", () =>
      Effect.gen(function* () {
        const { agent, api, hook, tenant } = yield* given()
        const { json, status } = yield* send(hook, { order: { id: 7 } })
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
        const { hook, tenant } = yield* given({ map })
        const body = { items: [{ name: "one" }], "a/b": { "~c": null, __proto__: 1 } }
        const { json } = yield* send(hook, body)
        const expected = { all: JSON.parse(JSON.stringify(body)), first: "one", odd: null, none: null, text: null }
        assert.deepStrictEqual((yield* runOf(tenant, json))["input"], expected)
      })
    )

    it.effect("takes forms, and the event that GitHub puts into one", () =>
      Effect.gen(function* () {
        const { hook, tenant } = yield* given()
        const form = (raw: string) =>
          send(hook, undefined, { raw, headers: { "content-type": "application/x-www-form-urlencoded" } })
        const plain = yield* form("a=1&b=x+y&b=%C3%BC")
        assert.deepStrictEqual((yield* runOf(tenant, plain.json))["input"], { a: "1", b: ["x y", "ü"] })
        const wrapped = yield* form(`payload=${encodeURIComponent('{"zen": "Keep it simple"}')}`)
        assert.deepStrictEqual((yield* runOf(tenant, wrapped.json))["input"], { zen: "Keep it simple" })
      })
    )

    it.effect("answers 404 alike to another token, another agent and what is no id", () =>
      Effect.gen(function* () {
        const { hook } = yield* given()
        const other = yield* given()
        const token = hook.split("/").at(-1)!
        const paths = [
          `${hook}x`,
          hook.replace(token, "a"),
          `/api/v1/hooks/${other.agent}/${token}`,
          `/api/v1/hooks/nonsense/${token}`
        ]
        const answers = yield* Effect.forEach(paths, (path) => send(path, {}))
        for (const { json, status } of answers) assert.strictEqual(`${status} ${json["code"]}`, "404 not_found")
      })
    )

    it.effect("answers 400, 413, 415 and 422 to bodies that it cannot take", () =>
      Effect.gen(function* () {
        const { hook } = yield* given()
        const cases: ReadonlyArray<readonly [string, Call]> = [
          ["400 malformed_json", { raw: "{" }],
          ["400 malformed_json", { raw: "" }],
          ["413 body_too_large", { raw: JSON.stringify("x".repeat(1024 * 1024)) }],
          ["415 unsupported_media_type", { raw: "x", headers: { "content-type": "text/plain" } }],
          ["422 validation_failed", { body: "x".repeat(257 * 1024) }],
          ["422 validation_failed", { body: {}, headers: { "idempotency-key": "two words" } }]
        ]
        for (const [expected, call] of cases) {
          const { json, status } = yield* send(hook, undefined, call)
          assert.strictEqual(`${status} ${json["code"]}`, expected)
        }
      })
    )

    it.effect("repeats the token in no answer", () =>
      Effect.gen(function* () {
        const { api, hook } = yield* given({ verification: "github" })
        const token = hook.split("/").at(-1)!
        for (const [method, path] of [
          ["POST", hook],
          ["POST", `${hook}x`],
          ["GET", hook],
          ["POST", `${hook}/`],
          ["POST", `${hook}/more`],
          ["POST", `/${hook}`],
          ["POST", hook.replace("hooks", "HOOKS")],
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
        const { hook } = yield* given()
        const [one, two] = [yield* send(hook, {}), yield* send(hook, {})]
        assert.notStrictEqual(String(one.json["run_id"]), String(two.json["run_id"]))
        const keyed = (body: unknown) => send(hook, body, { headers: { "idempotency-key": "k" } })
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
