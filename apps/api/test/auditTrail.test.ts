/** Everything that a request changes is in the activity feed, for every endpoint, new ones included. Spec: Activity. */
import type { ActivityRecord } from "@agent-platform/kernel"
import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Endpoint, endpoints, UNKNOWN_ID } from "./endpoints.ts"
import { givenWebhook, sendHook } from "./inbound.ts"
import { aPerson, type PersonSession } from "./people.ts"
import { REACH } from "./reach.ts"
import { anAgent, layer as layerApi, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

/** The activity that each changing endpoint records; or why it records none. */
const ACTS: Readonly<Record<string, string | { readonly because: string }>> = {
  "auth.createApiKey": "api_key.created",
  "auth.updateApiKey": "api_key.updated",
  "auth.rotateApiKey": "api_key.rotated",
  "auth.revokeApiKey": "api_key.revoked",
  "orgKeys.createOrgApiKey": "api_key.created",
  "orgKeys.createWebhookGrant": "api_key.created",
  "orgKeys.updateOrgApiKey": "api_key.updated",
  "orgKeys.rotateOrgApiKey": "api_key.rotated",
  "orgKeys.revokeOrgApiKey": "api_key.revoked",
  "loginSessions.logout": "session.revoked",
  "loginSessions.revokeSession": "session.revoked",
  "workspaces.createWorkspace": "workspace.created",
  "workspaces.updateWorkspace": "workspace.updated",
  "members.inviteMember": "member.invited",
  "members.removeMember": "member.removed",
  "agents.createAgent": "agent.created",
  "agents.updateAgent": "agent.updated",
  "agents.deleteAgent": "agent.deleted",
  "agents.createAgentWebhook": "agent.webhook_created",
  "agents.deleteAgentWebhook": "agent.webhook_deleted",
  "hooks.receiveHook": "run.triggered",
  "runs.triggerRun": "run.triggered",
  "attempts.receiveCallback": "run.succeeded",
  "gateway.createChatCompletion": { because: "the ledger and the log of the run have every call" },
  "gateway.createResponse": { because: "the ledger and the log of the run have every call" },
  "runs.createRunBrowserKey": { because: "it lets a page read what its maker reads, and there are thousands of them" },
  "sessions.createSessionBrowserKey": { because: "it lets a page read what its maker reads" },
  "sessions.replyToSession": "session.replied",
  "sessions.cancelSession": "run.cancelled",
  "byok.registerProviderKey": "byok_key.registered",
  "byok.updateProviderKey": "byok_key.updated",
  "byok.validateProviderKey": "byok_key.validated",
  "byok.revokeProviderKey": "byok_key.revoked",
  "toolSecrets.createToolSecret": "tool_secret.created",
  "toolSecrets.updateToolSecret": "tool_secret.updated",
  "toolSecrets.deleteToolSecret": "tool_secret.deleted",
  "orgToolSecrets.createToolSecretTemplate": "template.created",
  "orgToolSecrets.updateToolSecretTemplate": "template.updated",
  "orgToolSecrets.deleteToolSecretTemplate": "template.deleted",
  "orgProviderKeys.createProviderKeyTemplate": "template.created",
  "orgProviderKeys.updateProviderKeyTemplate": "template.updated",
  "orgProviderKeys.revokeProviderKeyTemplate": "template.updated",
  "orgProviderKeys.deleteProviderKeyTemplate": "template.deleted",
  "orgAgentTemplates.createAgentTemplate": "template.created",
  "orgAgentTemplates.updateAgentTemplate": "template.updated",
  "orgAgentTemplates.deleteAgentTemplate": "template.deleted",
  "schedules.createSchedule": "schedule.created",
  "schedules.updateSchedule": "schedule.updated",
  "schedules.deleteSchedule": "schedule.deleted",
  "webhooks.registerEndpoint": "webhook_endpoint.created",
  "webhooks.updateEndpoint": "webhook_endpoint.updated",
  "webhooks.deleteEndpoint": "webhook_endpoint.deleted",
  "webhooks.rotateSecret": "webhook_endpoint.secret_rotated",
  "webhooks.testEndpoint": "webhook_endpoint.tested",
  "webhooks.enableEndpoint": "webhook_endpoint.enabled",
  "webhooks.startReplay": "webhook_endpoint.replayed",
  "webhooks.replayDelivery": "webhook_endpoint.replayed",
  "erasures.eraseRun": "run.erasure_requested",
  "erasures.eraseSession": "session.erasure_requested",
  "erasures.eraseAgent": "agent.deleted",
  "erasures.eraseWorkspace": "workspace.erasure_requested",
  "notifications.markNotificationsRead": { because: "it notes what was read and changes nothing that was done" }
}

/** Endpoints whose request the rows of `REACH` do not make; they have tests of their own below, or in `callbacks` and `gateway`. */
const APART = [
  "attempts.receiveCallback",
  "gateway.createChatCompletion",
  "gateway.createResponse",
  "hooks.receiveHook",
  "webhooks.enableEndpoint",
  "webhooks.replayDelivery"
]

const changing = endpoints.filter(({ method }) => method !== "GET")

const entriesOf = ({ organizationId }: Tenant) =>
  Effect.flatMap(MemoryDatabase, (database) =>
    Effect.map(feedTables(database).activity.all, (all) => all.filter((one) => one.organizationId === organizationId))
  )

/** The activity that a request added. The use of an organization key is recorded by the hour, so it is left out. */
const added = <A, E, R>(tenant: Tenant, request: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* entriesOf(tenant)
    const answer = yield* request
    const entries = (yield* entriesOf(tenant)).slice(before.length).filter(({ action }) => action !== "api_key.used")
    return { answer, entries }
  })

/** An entry that stays when all else is erased names nobody: the id of its actor is enough for an auditor. */
const NAMELESS = "A caller"

const assertRecorded = (endpoint: string, entries: ReadonlyArray<ActivityRecord>, label: string) => {
  const action = ACTS[endpoint]
  const recorded = entries.filter((entry) => entry.action === action)
  assert.strictEqual(recorded.length, 1, `${endpoint} added ${entries.map((entry) => entry.action).join(", ")}`)
  assert.strictEqual(recorded[0]?.actor.label, String(action).endsWith(".erasure_requested") ? NAMELESS : label)
  assert.isNotEmpty(recorded[0]?.summary)
  assert.isNotEmpty(recorded[0]?.resourceId)
}

layer(layerApi, { excludeTestServices: true })("the activity feed", (it) => {
  it.effect("has a row for every endpoint that changes something, and none for another", () =>
    Effect.sync(() => {
      assert.sameMembers(
        Object.keys(ACTS),
        changing.map(({ id }) => id)
      )
    })
  )

  /** Makes the request of the endpoint's row in `REACH`, as somebody whom it serves. */
  const performed = Effect.fnUntraced(function* (endpoint: Endpoint, tenant: Tenant) {
    const api = yield* TestApi
    const row = REACH[endpoint.id]
    if (row === undefined) throw new Error(`${endpoint.id} has no row`)
    const isKey = row.who.includes("organization key")
    const person: PersonSession | undefined = isKey ? undefined : yield* aPerson(tenant, "owner")
    const id = yield* (row.about ?? row.names ?? (() => Effect.succeed(UNKNOWN_ID)))(tenant, person)
    const inWorkspace = { "x-workspace-id": tenant.workspaceId }
    const credential = person?.unsafe ?? {
      "x-api-key": row.who.includes("workspace key") ? tenant.workspaceKey : tenant.orgKey
    }
    const body = row.bodyNaming?.(id) ?? row.body
    const isRegistration = endpoint.id === "byok.registerProviderKey"
    const request = api.call(
      endpoint.method,
      endpoint.path.replace(UNKNOWN_ID, row.about === undefined ? (isRegistration ? "openai" : UNKNOWN_ID) : id),
      { headers: { ...row.headers, ...inWorkspace, ...credential }, ...(body === undefined ? {} : { body }) }
    )
    return { ...(yield* added(tenant, request)), label: person?.user.name ?? "Key" }
  })

  describe("records the acts of", () => {
    for (const endpoint of changing.filter(({ id }) => !APART.includes(id))) {
      it.effect(endpoint.id, () =>
        Effect.gen(function* () {
          const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
          const { answer, entries, label } = yield* performed(endpoint, tenant)
          assert.match(String(answer.status), /^2/, answer.text)
          if (typeof ACTS[endpoint.id] === "object") assert.isEmpty(entries)
          else assertRecorded(endpoint.id, entries, label)
        })
      )
    }

    it.effect("hooks.receiveHook", () =>
      Effect.gen(function* () {
        const { hook, tenant } = yield* givenWebhook()
        const { answer, entries } = yield* added(tenant, sendHook(hook, { order: 7 }))
        assert.strictEqual(answer.status, 202)
        assert.deepStrictEqual(
          entries.map(({ action, actor }) => `${action} ${actor.type}`),
          ["run.triggered system"]
        )
      })
    )

    it.effect("webhooks.enableEndpoint", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const call = { key: tenant.orgKey }
        const { json } = yield* api.call("POST", "/api/v1/org/webhooks", {
          ...call,
          body: { url: "https://example.com/" }
        })
        const path = `/api/v1/org/webhooks/${json["id"]}`
        yield* api.call("PATCH", path, { ...call, body: { status: "disabled" } })
        const { answer, entries } = yield* added(tenant, api.call("POST", `${path}/enable`, call))
        assert.strictEqual(answer.status, 200)
        assertRecorded("webhooks.enableEndpoint", entries, "Key")
      })
    )
  })
})

layer(layerWithWorkers, { excludeTestServices: true })("the activity feed records the acts of", (it) => {
  it.effect("runs.getRunRecord, which is the one reading that it records, in every format and of nothing refused", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
      const call = { key: tenant.workspaceKey }
      const agent = yield* anAgent(tenant)
      const { json: run } = yield* api.call("POST", "/api/v1/runs/", {
        ...call,
        body: { agent_id: agent, wait_seconds: 20, message: "Hello" }
      })
      const path = `/api/v1/runs/${run["run_id"]}/record`
      for (const accept of ["application/json", "text/html", "text/markdown"]) {
        const { answer, entries } = yield* added(tenant, api.call("GET", path, { ...call, headers: { accept } }))
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(entries.length, 1)
        assert.deepInclude(entries[0], {
          action: "run.record_read",
          workspaceId: tenant.workspaceId,
          summary: "Key read the record of a run of the agent 'Greeter'",
          resourceType: "run",
          resourceId: String(run["run_id"]),
          payload: { run_id: run["run_id"], agent_id: agent, session_id: run["session_id"] }
        } as object)
        assert.strictEqual(entries[0]?.actor.label, "Key")
      }
      const { answer, entries } = yield* added(tenant, api.call("GET", path, { key: stranger.workspaceKey }))
      assert.strictEqual(answer.status, 404)
      assert.isEmpty(entries)
    })
  )

  it.effect("webhooks.replayDelivery", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const call = { key: tenant.orgKey }
      const { json } = yield* api.call("POST", "/api/v1/org/webhooks", {
        ...call,
        body: { url: "https://example.com/" }
      })
      const path = `/api/v1/org/webhooks/${json["id"]}`
      const sent = yield* api.call("POST", `${path}/test`, { ...call, body: {} })
      const delivery = `${path}/deliveries/${sent.json["delivery_id"]}`
      for (let look = 0; look < 200 && (yield* api.call("GET", delivery, call)).status !== 200; look++) {
        yield* Effect.sleep("20 millis")
      }
      const { answer, entries } = yield* added(tenant, api.call("POST", `${delivery}/replay`, call))
      assert.strictEqual(answer.status, 202, answer.text)
      assertRecorded("webhooks.replayDelivery", entries, "Key")
    })
  )
})
