/** The poll of a run goes a way of its own, which is to be told from the endpoint's by nothing. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { aPerson } from "./people.ts"
import { openConnection } from "./rawConnection.ts"
import { anAgent, DASHBOARD_URL, layer as layerIdle, layerMemory, layerOver, type Tenant, TestApi } from "./support.ts"

const RUNS = "/api/v1/runs/"

/** A tenant with a run, and its address. */
const aTenantWithRun = Effect.gen(function* () {
  const api = yield* TestApi
  const tenant = yield* api.tenant
  const body = { agent_id: yield* anAgent(tenant), message: "Grüße", metadata: { customer: "42" }, tags: ["a"] }
  const { json } = yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body })
  return { tenant, path: `${RUNS}${json["run_id"]}` }
})

const comparable = (text: string) => text.replace(/"request_id":"[^"]+"/, "")

/** What differs between any two answers. */
const OWN_HEADERS = new Set(["date", "x-request-id", "ratelimit", "content-length"])

const answerTo = Effect.fnUntraced(function* (method: string, path: string, headers: Readonly<Record<string, string>>) {
  const api = yield* TestApi
  const answer = yield* api.call(method, path, { headers })
  return {
    status: answer.status,
    headers: [...answer.headers].filter(([name]) => !OWN_HEADERS.has(name)),
    text: comparable(answer.text)
  }
})

/** Asks both ways: a query, even one that says what holds anyway, is the endpoint's. Answers the status. */
const bothWays = Effect.fnUntraced(function* (path: string, headers: Readonly<Record<string, string>>, method = "GET") {
  const poll = yield* answerTo(method, path, headers)
  assert.deepStrictEqual(poll, yield* answerTo(method, `${path}?wait_seconds=0`, headers))
  return poll.status
})

const keyOf = (tenant: Tenant) => ({ "x-api-key": tenant.workspaceKey })

layer(layerIdle, { excludeTestServices: true })("the poll of a run", (it) => {
  it.effect("shows the run to every credential of its workspace", () =>
    Effect.gen(function* () {
      const { path, tenant } = yield* aTenantWithRun
      const person = yield* aPerson(tenant, "viewer")
      const inWorkspace = { "x-workspace-id": tenant.workspaceId }
      assert.strictEqual(yield* bothWays(path, keyOf(tenant)), 200)
      assert.strictEqual(yield* bothWays(path, { authorization: `Bearer ${tenant.workspaceKey}` }), 200)
      assert.strictEqual(yield* bothWays(path, { "x-api-key": tenant.orgKey, ...inWorkspace }), 200)
      assert.strictEqual(yield* bothWays(path, { ...person.headers, ...inWorkspace }), 200)
      assert.strictEqual(yield* bothWays(path, keyOf(tenant), "HEAD"), 200)
      assert.strictEqual(
        yield* bothWays(path, { ...keyOf(tenant), accept: "application/*", origin: DASHBOARD_URL }),
        200
      )
    })
  )

  it.effect("shows nothing to anybody else, and says why", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { path, tenant } = yield* aTenantWithRun
      const stranger = yield* api.tenant
      const withKey = (override: Parameters<typeof api.keyWith>[1]) =>
        Effect.map(api.keyWith(tenant, override), (key) => ({ "x-api-key": key }))
      assert.strictEqual(yield* bothWays(path, keyOf(stranger)), 404)
      assert.strictEqual(
        yield* bothWays(path, { "x-api-key": stranger.orgKey, "x-workspace-id": tenant.workspaceId }),
        404
      )
      assert.strictEqual(yield* bothWays(path, {}), 401)
      assert.strictEqual(yield* bothWays(path, { "x-api-key": "nonsense" }), 401)
      assert.strictEqual(yield* bothWays(path, { "x-api-key": tenant.workspaceKey.replace(/.$/, "_") }), 401)
      assert.strictEqual(yield* bothWays(path, { ...keyOf(tenant), authorization: `Bearer ${tenant.orgKey}` }), 400)
      assert.strictEqual(yield* bothWays(path, { "x-api-key": tenant.orgKey }), 400)
      assert.strictEqual(yield* bothWays(path, yield* withKey({ scopes: ["agents:read"] })), 403)
      assert.strictEqual(yield* bothWays(path, yield* withKey({ allowedIps: ["203.0.113.0/24"] })), 403)
    })
  )

  it.effect("answers what it cannot show as the endpoint does", () =>
    Effect.gen(function* () {
      const { path, tenant } = yield* aTenantWithRun
      assert.strictEqual(yield* bothWays(`${RUNS}${UNKNOWN_ID}`, keyOf(tenant)), 404)
      assert.strictEqual(yield* bothWays(`${RUNS}${"-".repeat(36)}`, keyOf(tenant)), 404)
      assert.strictEqual(yield* bothWays(`${RUNS}${"0".repeat(36)}`, keyOf(tenant)), 404)
      assert.strictEqual(yield* bothWays(path.toUpperCase().replace(RUNS.toUpperCase(), RUNS), keyOf(tenant)), 404)
      assert.strictEqual(yield* bothWays(path, { ...keyOf(tenant), accept: "text/html" }), 406)
      assert.strictEqual(yield* bothWays(path, { ...keyOf(tenant), accept: "text/html, */*;q=0" }), 406)
      assert.strictEqual(yield* bothWays(path, keyOf(tenant), "DELETE"), 405)
    })
  )

  it.effect("takes an address in the form that proxies ask for", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { path, tenant } = yield* aTenantWithRun
      const head = `Host: agents.test\r\nX-API-Key: ${tenant.workspaceKey}\r\nConnection: close\r\n\r\n`
      const { ask } = openConnection(api.port)
      const answer = yield* Effect.promise(() => ask(`GET http://agents.test${path} HTTP/1.1\r\n${head}`))
      assert.strictEqual(answer.status, 200)
    })
  )
})

layer(layerOver(layerMemory, { workspaceRateLimit: { limit: 3, windowSeconds: 3_600 } }), {
  excludeTestServices: true
})("the poll of a run under a limit", (it) => {
  it.effect("counts like every request, and is refused when the limit is reached", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { path, tenant } = yield* aTenantWithRun
      const poll = api.call("GET", path, { headers: keyOf(tenant) })
      const { headers, status } = yield* poll
      assert.strictEqual(status, 200)
      assert.match(headers.get("ratelimit") ?? "", /"workspace";r=0;/)
      assert.strictEqual((yield* poll).status, 429)
      assert.strictEqual(yield* bothWays(path, keyOf(tenant)), 429)
    })
  )
})
