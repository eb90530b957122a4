/** Common steps of the tests of provider keys. */
import type { ProbeOutcome } from "@agent-platform/keys"
import { MemoryProviderProbe } from "@agent-platform/keys/memory"
import { Effect } from "effect"
import { type Tenant, TestApi } from "./support.ts"

export const BYOK = "/api/v1/byok"

/** A key that looks like one of OpenAI's and is none. */
export const KEY = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"
export const REFUSED: ProbeOutcome = { type: "rejected", providerStatus: 401, providerCode: "invalid_api_key" }

/** Sets what every provider answers. */
export const answer = (outcome: ProbeOutcome) =>
  MemoryProviderProbe.use((probe) => Effect.sync(() => probe.answerWith(() => Effect.succeed(outcome))))
/** Registers a key. */
export const post = (tenant: Tenant, body: unknown, provider = "openai", headers: Record<string, string> = {}) =>
  TestApi.use((api) => api.call("POST", `${BYOK}/${provider}`, { key: tenant.workspaceKey, body, headers }))
/** Registers a key that its provider takes, and answers its id. */
export const registered = Effect.fnUntraced(function* (tenant: Tenant, body: object = {}) {
  yield* answer({ type: "accepted" })
  const { json } = yield* post(tenant, { key: KEY, ...body })
  return String(json["id"])
})
/** The workspace's keys. */
export const list = (tenant: Tenant) => TestApi.use((api) => api.call("GET", `${BYOK}/`, { key: tenant.workspaceKey }))
