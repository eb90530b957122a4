/** Resources of other workspaces are invisible. Spec: What the service does; API keys 4. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, layer as layerApi, type Tenant, TestApi } from "./support.ts"

const SINCE = "2025-01-21T05:15:00Z"
const UNKNOWN_ID = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"

/** The answer without what differs between any two requests. */
const comparable = (text: string) => text.replace(/"request_id":"[^"]+"/, "").replace(/"instance":"[^"]+"/, "")

type Request = readonly [string, "workspace" | "organization", (id: string) => string, string, object?]

const templatesBelow = (kind: string, foreign: string): ReadonlyArray<Request> => {
  const path = (id: string) => `/api/v1/org/${kind}/${id}`
  return [
    ["GET", "organization", path, foreign],
    ["GET", "organization", (id) => `${path(id)}/workspaces`, foreign],
    ["PATCH", "organization", path, foreign, { name: "Mine" }],
    ["DELETE", "organization", path, foreign]
  ]
}

layer(layerApi, { excludeTestServices: true })("a foreign workspace's resources", (it) => {
  const everythingOf = Effect.fnUntraced(function* (tenant: Tenant) {
    const api = yield* TestApi
    const agent_id = yield* anAgent(tenant)
    yield* api.call("POST", `/api/v1/agents/${agent_id}/webhooks`, { key: tenant.workspaceKey, body: {} })
    const run = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id } })
    const key = yield* api.call("POST", "/api/v1/auth/api-keys", { key: tenant.workspaceKey, body: { name: "x" } })
    const orgKey = yield* api.call("POST", "/api/v1/org/api-keys", { key: tenant.orgKey, body: { name: "x" } })
    const endpoint = yield* api.call("POST", "/api/v1/org/webhooks", {
      key: tenant.orgKey,
      body: { url: "https://example.com/" }
    })
    const providerKey = yield* api.call("POST", "/api/v1/byok/openai", {
      key: tenant.workspaceKey,
      body: { key: "sk-nobodys-0123456789" }
    })
    const secretTemplate = yield* api.call("POST", "/api/v1/org/tool-secrets", {
      key: tenant.orgKey,
      body: { name: "Above", host_pattern: "above.example.com", header: "x-api-key", value: "isolated-0123456789" }
    })
    const keyTemplate = yield* api.call("POST", "/api/v1/org/provider-keys", {
      key: tenant.orgKey,
      body: { provider: "openai", key: "sk-above-0123456789", validate: false }
    })
    const agentTemplate = yield* api.call("POST", "/api/v1/org/agent-templates", {
      key: tenant.orgKey,
      body: { name: "Above" }
    })
    const toolSecret = yield* api.call("POST", "/api/v1/tool-secrets", {
      key: tenant.workspaceKey,
      body: { name: "x", host_pattern: "api.example.com", header: "x-api-key", value: "nobodys-0123456789" }
    })
    const schedule = yield* api.call("POST", "/api/v1/schedules", {
      key: tenant.workspaceKey,
      body: { agent_id, cron: "0 9 * * *" }
    })
    const replay = yield* api.call("POST", `/api/v1/org/webhooks/${endpoint.json["id"]}/replay`, {
      key: tenant.orgKey,
      body: { since: SINCE }
    })
    const test = yield* api.call("POST", `/api/v1/org/webhooks/${endpoint.json["id"]}/test`, {
      key: tenant.orgKey,
      body: {}
    })
    return {
      agent: agent_id,
      run: String(run.json["run_id"]),
      session: String(run.json["session_id"]),
      key: String(key.json["id"]),
      orgKey: String(orgKey.json["id"]),
      endpoint: String(endpoint.json["id"]),
      providerKey: String(providerKey.json["id"]),
      toolSecret: String(toolSecret.json["id"]),
      secretTemplate: String(secretTemplate.json["id"]),
      keyTemplate: String(keyTemplate.json["id"]),
      agentTemplate: String(agentTemplate.json["id"]),
      schedule: String(schedule.json["id"]),
      replay: String(replay.json["id"]),
      delivery: String(test.json["delivery_id"])
    }
  })

  it.effect("answer 404 exactly as unknown and malformed ids do", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [mine, theirs] = [yield* api.tenant, yield* api.tenant]
      const own = yield* everythingOf(mine)
      const foreign = yield* everythingOf(theirs)
      const endpoint = (id: string) => `/api/v1/org/webhooks/${id}`
      const requests: ReadonlyArray<Request> = [
        ["GET", "workspace", (id) => `/api/v1/runs/${id}`, foreign.run],
        ["GET", "workspace", (id) => `/api/v1/runs/${id}?wait_seconds=1`, foreign.run],
        ["GET", "workspace", (id) => `/api/v1/runs/${id}/logs`, foreign.run],
        ["GET", "workspace", (id) => `/api/v1/runs/${id}/record`, foreign.run],
        ["GET", "workspace", (id) => `/api/v1/sessions/${id}`, foreign.session],
        ["GET", "workspace", (id) => `/api/v1/sessions/${id}/messages`, foreign.session],
        ["POST", "workspace", (id) => `/api/v1/sessions/${id}/messages`, foreign.session, { message: "Hello" }],
        ["POST", "workspace", (id) => `/api/v1/sessions/${id}/cancel`, foreign.session, {}],
        ["POST", "workspace", (id) => `/api/v1/sessions/${id}/cancel`, foreign.session, { mode: "immediate" }],
        ["GET", "workspace", (id) => `/api/v1/agents/${id}`, foreign.agent],
        ["PATCH", "workspace", (id) => `/api/v1/agents/${id}`, foreign.agent, {}],
        ["DELETE", "workspace", (id) => `/api/v1/agents/${id}`, foreign.agent],
        ["POST", "workspace", (id) => `/api/v1/agents/${id}/webhooks`, foreign.agent, {}],
        ["DELETE", "workspace", (id) => `/api/v1/agents/${id}/webhooks`, foreign.agent],
        ["DELETE", "workspace", (id) => `/api/v1/auth/api-keys/${id}`, foreign.key],
        ["DELETE", "organization", (id) => `/api/v1/org/api-keys/${id}`, foreign.orgKey],
        ["DELETE", "workspace", (id) => `/api/v1/byok/${id}`, foreign.providerKey],
        ["POST", "workspace", (id) => `/api/v1/byok/${id}/validate`, foreign.providerKey],
        ["GET", "workspace", (id) => `/api/v1/tool-secrets/${id}`, foreign.toolSecret],
        ["PATCH", "workspace", (id) => `/api/v1/tool-secrets/${id}`, foreign.toolSecret, { value: "another-0123456" }],
        ["DELETE", "workspace", (id) => `/api/v1/tool-secrets/${id}`, foreign.toolSecret],
        ...templatesBelow("tool-secrets", foreign.secretTemplate),
        ...templatesBelow("provider-keys", foreign.keyTemplate),
        ...templatesBelow("agent-templates", foreign.agentTemplate),
        ["POST", "organization", (id) => `/api/v1/org/provider-keys/${id}/revoke`, foreign.keyTemplate],
        // One of another kind, too, though it is the caller's own.
        ["GET", "organization", (id) => `/api/v1/org/agent-templates/${id}`, own.keyTemplate],
        ["POST", "organization", (id) => `/api/v1/org/provider-keys/${id}/revoke`, own.agentTemplate],
        ["GET", "workspace", (id) => `/api/v1/schedules/${id}`, foreign.schedule],
        ["PATCH", "workspace", (id) => `/api/v1/schedules/${id}`, foreign.schedule, { enabled: false }],
        ["DELETE", "workspace", (id) => `/api/v1/schedules/${id}`, foreign.schedule],
        ["GET", "organization", (id) => `/api/v1/org/webhooks/${id}/deliveries`, foreign.endpoint],
        [
          "POST",
          "organization",
          (id) => `/api/v1/org/webhooks/${id}/deliveries/${UNKNOWN_ID}/replay`,
          foreign.endpoint
        ],
        ["GET", "organization", endpoint, foreign.endpoint],
        ["PATCH", "organization", endpoint, foreign.endpoint, { url: "http://inside/", status: "active" }],
        ["DELETE", "organization", endpoint, foreign.endpoint],
        ["POST", "organization", (id) => `${endpoint(id)}/rotate-secret`, foreign.endpoint, { grace_seconds: 0 }],
        ["POST", "organization", (id) => `${endpoint(id)}/test`, foreign.endpoint, {}],
        ["POST", "organization", (id) => `${endpoint(id)}/enable`, foreign.endpoint],
        ["POST", "organization", (id) => `${endpoint(id)}/replay`, foreign.endpoint, { since: SINCE }],
        ["GET", "organization", (id) => `${endpoint(id)}/deliveries/${foreign.delivery}`, foreign.endpoint],
        ["GET", "organization", (id) => `${endpoint(own.endpoint)}/deliveries/${id}`, foreign.delivery],
        ["POST", "organization", (id) => `${endpoint(own.endpoint)}/deliveries/${id}/replay`, foreign.delivery],
        ["GET", "organization", (id) => `/api/v1/org/webhooks/replays/${id}`, foreign.replay]
      ]
      for (const [method, reach, path, foreignId, body] of requests) {
        const key = reach === "workspace" ? mine.workspaceKey : mine.orgKey
        const answers = yield* Effect.forEach([foreignId, UNKNOWN_ID, "nonsense"], (id) =>
          api.call(method, path(id), { key, ...(body && { body }) })
        )
        for (const { status } of answers) assert.strictEqual(status, 404)
        assert.strictEqual(new Set(answers.map(({ text }) => comparable(text))).size, 1)
      }
      const theirRun = yield* api.call("GET", `/api/v1/runs/${foreign.run}`, { key: theirs.workspaceKey })
      assert.strictEqual(String(theirRun.json["status"]), "queued")
      assert.isNull(theirRun.json["cancel_requested_at"])
      const workspaceIds = [theirs.workspaceId, UNKNOWN_ID, "nonsense"]
      const [scheduled, hook] = [{ cron: "0 9 * * *" }, { url: "https://example.com/" }]
      // Ids inside of bodies, whose answers say which it is.
      const named: ReadonlyArray<readonly [string, string, ReadonlyArray<string>, (id: string) => object]> = [
        [
          `/api/v1/sessions/${own.session}/messages`,
          "/run_id",
          [foreign.run],
          (run_id) => ({ message: "Yes", run_id })
        ],
        ["/api/v1/runs/", "/agent_id", [foreign.agent], (agent_id) => ({ agent_id })],
        ["/api/v1/runs/", "/session_id", [foreign.session], (session_id) => ({ agent_id: own.agent, session_id })],
        ["/api/v1/schedules", "/agent_id", [foreign.agent], (agent_id) => ({ ...scheduled, agent_id })],
        ["/api/v1/org/webhooks", "/workspace_ids", workspaceIds, (id) => ({ ...hook, workspace_ids: [id] })],
        [
          "/api/v1/org/members",
          "/workspaces",
          workspaceIds,
          (workspace_id) => ({ email: "ada@example.com", workspaces: [{ workspace_id, role: "member" }] })
        ]
      ]
      for (const [path, place, ids, bodyOf] of named) {
        const key = path.includes("/org/") ? mine.orgKey : mine.workspaceKey
        const answers = yield* Effect.forEach([...ids, UNKNOWN_ID, "nonsense"], (id) =>
          api.call("POST", path, { key, body: bodyOf(id) })
        )
        for (const { json, status } of answers) {
          assert.strictEqual(status, 404, path)
          assert.include(String(json["detail"]), `: ${place} must `, path)
        }
        assert.strictEqual(new Set(answers.map(({ text }) => comparable(text))).size, 1, path)
      }
      for (const key of [mine.workspaceKey, mine.orgKey]) {
        const answers = yield* Effect.forEach(workspaceIds, (id) =>
          api.call("GET", "/api/v1/agents", { key, headers: { "x-workspace-id": id } })
        )
        for (const { status } of answers) assert.strictEqual(status, 404)
        assert.strictEqual(new Set(answers.map(({ text }) => comparable(text))).size, 1)
      }
    })
  )

  it.effect("cannot be gone on from in the stream of events, exactly as unknown ones", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [mine, theirs] = [yield* api.tenant, yield* api.tenant]
      const { delivery } = yield* everythingOf(theirs)
      const answers = yield* Effect.forEach([delivery, UNKNOWN_ID, "nonsense"], (id) =>
        api.call("GET", "/api/v1/org/webhooks/stream", { key: mine.orgKey, headers: { "last-event-id": id } })
      )
      assert.strictEqual(new Set(answers.map(({ status, text }) => `${status} ${comparable(text)}`)).size, 1)
      assert.strictEqual(answers[0]?.status, 422)
    })
  )

  it.effect("are in no list", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [mine, theirs] = [yield* api.tenant, yield* api.tenant]
      const foreign = Object.values(yield* everythingOf(theirs))
      for (const [path, key] of [
        ["/api/v1/agents", mine.workspaceKey],
        ["/api/v1/runs/", mine.workspaceKey],
        ["/api/v1/auth/api-keys", mine.workspaceKey],
        ["/api/v1/byok/", mine.workspaceKey],
        ["/api/v1/tool-secrets", mine.workspaceKey],
        ["/api/v1/org/tool-secrets", mine.orgKey],
        ["/api/v1/schedules", mine.workspaceKey],
        ["/api/v1/org/api-keys", mine.orgKey],
        ["/api/v1/org/webhooks", mine.orgKey]
      ] as const) {
        const { text } = yield* api.call("GET", path, { key })
        for (const id of foreign) assert.notInclude(text, id)
      }
    })
  )

  it.effect("are out of reach of a key that survives its workspace's name in a header", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [mine, theirs] = [yield* api.tenant, yield* api.tenant]
      const { run } = yield* everythingOf(theirs)
      for (const key of [mine.workspaceKey, mine.orgKey]) {
        const { status } = yield* api.call("GET", `/api/v1/runs/${run}`, {
          key,
          headers: { "x-workspace-id": theirs.workspaceId }
        })
        assert.strictEqual(status, 404)
      }
    })
  )
})
