/** Where keys may be used from, and how often. */
import { parseNetwork, RateLimits } from "@agent-platform/keys"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { anAgent, layer as layerApi, layerMemory, layerOver, TestApi } from "./support.ts"

const ME = "/api/v1/auth/me"

layer(layerApi, { excludeTestServices: true })("a key with allowed addresses", (it) => {
  it.effect("is accepted from there", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const key = yield* api.keyWith(yield* api.tenant, { allowedIps: ["127.0.0.0/8"] })
      assert.strictEqual((yield* api.call("GET", ME, { key })).status, 200)
    })
  )

  it.effect("is 403 from elsewhere, whatever the caller says of itself", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const key = yield* api.keyWith(yield* api.tenant, { allowedIps: ["203.0.113.0/24"] })
      for (const headers of [
        {},
        { "x-forwarded-for": "203.0.113.7" },
        { forwarded: "for=203.0.113.7" },
        { "x-real-ip": "203.0.113.7" },
        { "true-client-ip": "203.0.113.7" }
      ]) {
        const { json, status } = yield* api.call("GET", ME, { key, headers: { ...headers } })
        assert.strictEqual(status, 403)
        assert.strictEqual(String(json["code"]), "ip_not_allowed")
      }
    })
  )

  it.effect("makes keys for no more addresses, and by itself for the same", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const key = yield* api.keyWith(yield* api.tenant, { allowedIps: ["127.0.0.0/8"] })
      const create = (body: object) =>
        api.call("POST", "/api/v1/auth/api-keys", { key, body: { name: "Child", ...body } })
      assert.deepStrictEqual<unknown>((yield* create({})).json["allowed_ips"], ["127.0.0.0/8"])
      const narrow = yield* create({ allowed_ips: ["127.0.0.1", "::ffff:127.0.0.2"] })
      assert.deepStrictEqual<unknown>(narrow.json["allowed_ips"], ["127.0.0.1/32", "127.0.0.2/32"])
      for (const allowed_ips of [[], ["0.0.0.0/0"], ["::1"]]) {
        const { json, status } = yield* create({ allowed_ips })
        assert.strictEqual(status, 422)
        assert.strictEqual(String(json["errors"]![0]!["pointer"]), "/allowed_ips")
      }
    })
  )

  it.effect("loses the streams that it has open once it may not be used from there any more", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      const run = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id } })
      const made = yield* api.call("POST", "/api/v1/auth/api-keys", { key: tenant.workspaceKey, body: { name: "x" } })
      const stream = yield* api.fetch("GET", `/api/v1/runs/${run.json["run_id"]}/logs`, {
        key: String(made.json["key"])
      })
      yield* api.call("PATCH", `/api/v1/auth/api-keys/${made.json["id"]}`, {
        key: tenant.workspaceKey,
        body: { allowed_ips: ["203.0.113.7"] }
      })
      assert.include(yield* Effect.promise(() => stream.text()), "run.queued")
    })
  )
})

const proxies = [parseNetwork("127.0.0.0/8")].filter((network) => network !== undefined)

layer(layerOver(layerMemory, { trustedProxies: proxies }), { excludeTestServices: true })(
  "a key with allowed addresses, behind a trusted proxy",
  (it) => {
    it.effect("is judged by the address that the proxy names, and refused where that is none", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const key = yield* api.keyWith(yield* api.tenant, { allowedIps: ["203.0.113.0/24"] })
        const statusFor = (forwarded: string) =>
          Effect.map(api.call("GET", ME, { key, headers: { "x-forwarded-for": forwarded } }), ({ status }) => status)
        assert.strictEqual(yield* statusFor("203.0.113.7"), 200)
        assert.strictEqual(yield* statusFor("10.0.0.1, 203.0.113.7, 127.0.0.9"), 200)
        for (const forwarded of ["203.0.113.7, 10.0.0.1", "203.0.113.7, unknown", "", "unknown"]) {
          assert.strictEqual(yield* statusFor(forwarded), 403, forwarded)
        }
        assert.strictEqual((yield* api.call("GET", ME, { key })).status, 403)
      })
    )

    it.effect("streams as ever", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const run = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id } })
        const response = yield* api.fetch("GET", `/api/v1/runs/${run.json["run_id"]}/logs`, {
          key: tenant.workspaceKey
        })
        assert.strictEqual(response.status, 200)
        yield* Effect.promise(() => response.body?.cancel() ?? Promise.resolve())
      })
    )
  }
)

layer(layerApi, { excludeTestServices: true })("a key with a rate limit", (it) => {
  const limited = (limit: number, windowSeconds: number) =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = yield* api.keyWith(tenant, { rateLimit: { limit, windowSeconds } })
      return { api, key, tenant }
    })

  it.effect("learns on every answer what is left, and 429 with when to go on once nothing is", () =>
    Effect.gen(function* () {
      const { api, key } = yield* limited(3, 86_400)
      const asked = [
        ["GET", ME, 200],
        ["GET", "/api/v1/org/api-keys", 403],
        ["GET", "/api/v1/agents?colour=red", 422]
      ] as const
      for (const [index, [method, path, status]] of asked.entries()) {
        const answer = yield* api.call(method, path, { key })
        assert.strictEqual(answer.status, status)
        assert.strictEqual(answer.headers.get("ratelimit-policy"), '"api_key";q=3;w=86400')
        assert.match(answer.headers.get("ratelimit") ?? "", new RegExp(`^"api_key";r=${2 - index};t=\\d+$`))
        assert.isNull(answer.headers.get("retry-after"))
      }
      const refused = yield* api.call("GET", ME, { key })
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(String(refused.json["code"]), "rate_limited")
      assert.strictEqual(refused.json["retryable"] as unknown, true)
      assert.match(refused.headers.get("ratelimit") ?? "", /^"api_key";r=0;t=\d+$/)
      assert.closeTo(Number(refused.headers.get("retry-after")), 28_800, 60)
    })
  )

  it.effect("is limited also where it is the wrong key for the operation", () =>
    Effect.gen(function* () {
      const { api, key } = yield* limited(1, 86_400)
      yield* api.call("GET", "/api/v1/org/api-keys", { key })
      assert.strictEqual((yield* api.call("GET", "/api/v1/org/api-keys", { key })).status, 429)
    })
  )

  it.effect("is given back what it has spent as time passes", () =>
    Effect.gen(function* () {
      const { api, key } = yield* limited(1, 1)
      yield* api.call("GET", ME, { key })
      const refused = yield* api.call("GET", ME, { key })
      assert.strictEqual(refused.headers.get("retry-after"), "1")
      const until = yield* Effect.repeat(api.call("GET", ME, { key }), {
        until: ({ status }) => status === 200,
        times: 500,
        schedule: Schedule.spaced("20 millis")
      })
      assert.strictEqual(until.status, 200)
    })
  )

  it.effect("may be changed, which holds at once and begins anew", () =>
    Effect.gen(function* () {
      const { api, key, tenant } = yield* limited(1, 86_400)
      const me = yield* api.call("GET", ME, { key })
      const change = (rate_limit: unknown) =>
        api.call("PATCH", `/api/v1/auth/api-keys/${me.json["auth"]!["key_id"]}`, {
          key: tenant.workspaceKey,
          body: { rate_limit }
        })
      assert.strictEqual((yield* api.call("GET", ME, { key })).status, 429)
      yield* change({ limit: 2, window_seconds: 86_400 })
      assert.match((yield* api.call("GET", ME, { key })).headers.get("ratelimit") ?? "", /r=1;/)
      yield* change(null)
      const free = yield* api.call("GET", ME, { key })
      assert.isNull(free.headers.get("ratelimit"))
    })
  )

  it.effect("spends nothing while a stream that it has open goes on", () =>
    Effect.gen(function* () {
      const { api, key, tenant } = yield* limited(3, 86_400)
      const agent_id = yield* anAgent(tenant)
      const run = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id } })
      // A wait of three seconds looks at the key again at least once.
      const waited = yield* api.call("GET", `/api/v1/runs/${run.json["run_id"]}?wait_seconds=3`, { key })
      assert.strictEqual(waited.status, 200)
      assert.match((yield* api.call("GET", ME, { key })).headers.get("ratelimit") ?? "", /r=1;/)
    })
  )
})

const layerLimitsAway = Layer.succeed(RateLimits, { take: () => Effect.die(new Error("The counts are away")) })

layer(layerOver(Layer.provideMerge(layerLimitsAway, layerMemory)), { excludeTestServices: true })(
  "where requests cannot be counted",
  (it) => {
    it.effect("a key with a limit is refused, and one without is served", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const key = yield* api.keyWith(tenant, { rateLimit: { limit: 1, windowSeconds: 1 } })
        assert.strictEqual((yield* api.call("GET", ME, { key })).status, 500)
        assert.strictEqual((yield* api.call("GET", ME, { key: tenant.workspaceKey })).status, 200)
      })
    )
  }
)
