/** Who may read a run, and what everybody else is answered. */
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

/** The status of the answer, asked without a query. */
const statusOf = Effect.fnUntraced(function* (path: string, headers: Readonly<Record<string, string>>, method = "GET") {
  const api = yield* TestApi
  return (yield* api.call(method, path, { headers })).status
})

const keyOf = (tenant: Tenant) => ({ "x-api-key": tenant.workspaceKey })

layer(layerIdle, { excludeTestServices: true })("reading a run", (it) => {
  it.effect("shows the run to every credential of its workspace", () =>
    Effect.gen(function* () {
      const { path, tenant } = yield* aTenantWithRun
      const person = yield* aPerson(tenant, "viewer")
      const inWorkspace = { "x-workspace-id": tenant.workspaceId }
      assert.strictEqual(yield* statusOf(path, keyOf(tenant)), 200)
      assert.strictEqual(yield* statusOf(path, { authorization: `Bearer ${tenant.workspaceKey}` }), 200)
      assert.strictEqual(yield* statusOf(path, { "x-api-key": tenant.orgKey, ...inWorkspace }), 200)
      assert.strictEqual(yield* statusOf(path, { ...person.headers, ...inWorkspace }), 200)
      assert.strictEqual(yield* statusOf(path, keyOf(tenant), "HEAD"), 200)
      assert.strictEqual(
        yield* statusOf(path, { ...keyOf(tenant), accept: "application/*", origin: DASHBOARD_URL }),
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
      assert.strictEqual(yield* statusOf(path, keyOf(stranger)), 404)
      assert.strictEqual(
        yield* statusOf(path, { "x-api-key": stranger.orgKey, "x-workspace-id": tenant.workspaceId }),
        404
      )
      assert.strictEqual(yield* statusOf(path, {}), 401)
      assert.strictEqual(yield* statusOf(path, { "x-api-key": "nonsense" }), 401)
      assert.strictEqual(yield* statusOf(path, { "x-api-key": tenant.workspaceKey.replace(/.$/, "_") }), 401)
      assert.strictEqual(yield* statusOf(path, { ...keyOf(tenant), authorization: `Bearer ${tenant.orgKey}` }), 400)
      assert.strictEqual(yield* statusOf(path, { "x-api-key": tenant.orgKey }), 400)
      assert.strictEqual(yield* statusOf(path, yield* withKey({ scopes: ["agents:read"] })), 403)
      assert.strictEqual(yield* statusOf(path, yield* withKey({ allowedIps: ["203.0.113.0/24"] })), 403)
    })
  )

  it.effect("says what is wrong with an address, a format or a method", () =>
    Effect.gen(function* () {
      const { path, tenant } = yield* aTenantWithRun
      assert.strictEqual(yield* statusOf(`${RUNS}${UNKNOWN_ID}`, keyOf(tenant)), 404)
      assert.strictEqual(yield* statusOf(`${RUNS}${"-".repeat(36)}`, keyOf(tenant)), 404)
      assert.strictEqual(yield* statusOf(`${RUNS}${"0".repeat(36)}`, keyOf(tenant)), 404)
      assert.strictEqual(yield* statusOf(path.toUpperCase().replace(RUNS.toUpperCase(), RUNS), keyOf(tenant)), 404)
      assert.strictEqual(yield* statusOf(path, { ...keyOf(tenant), accept: "text/html" }), 406)
      assert.strictEqual(yield* statusOf(path, { ...keyOf(tenant), accept: "text/html, */*;q=0" }), 406)
      assert.strictEqual(yield* statusOf(path, keyOf(tenant), "PUT"), 405)
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
})("reading a run under a limit", (it) => {
  it.effect("counts like every request, and is refused when the limit is reached", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { path, tenant } = yield* aTenantWithRun
      const read = api.call("GET", path, { headers: keyOf(tenant) })
      const { headers, status } = yield* read
      assert.strictEqual(status, 200)
      assert.match(headers.get("ratelimit") ?? "", /"workspace";r=0;/)
      assert.strictEqual((yield* read).status, 429)
      assert.strictEqual(yield* statusOf(path, keyOf(tenant)), 429)
    })
  )
})
