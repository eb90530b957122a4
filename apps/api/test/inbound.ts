/** Agents with inbound URLs, and who sends to these. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, BASE_URL, type Call, type Json, type Tenant, TestApi } from "./support.ts"

/** An agent with an inbound URL, and what was answered to its creation. */
export const givenWebhook = Effect.fnUntraced(function* (body: object = {}) {
  const api = yield* TestApi
  const tenant = yield* api.tenant
  const agent = yield* anAgent(tenant)
  const path = `/api/v1/agents/${agent}/webhooks`
  const { json, status } = yield* api.call("POST", path, { key: tenant.workspaceKey, body })
  assert.strictEqual(status, 201)
  return { api, tenant, agent, path, json, hook: String(json["url"]).slice(BASE_URL.length) }
})

/** Sends a body to an inbound URL. */
export const sendHook = (path: string, body: unknown, call: Call = {}) =>
  Effect.flatMap(TestApi, (api) => api.call("POST", path, { body, ...call }))

/** The run that a receipt names. */
export const runOf = (tenant: Tenant, receipt: Json) =>
  Effect.flatMap(TestApi, (api) =>
    Effect.map(
      api.call("GET", `/api/v1/runs/${receipt["run_id"]}`, { key: tenant.workspaceKey }),
      ({ json }) => json as unknown as Record<string, unknown>
    )
  )
