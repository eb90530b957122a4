/** Runs that are played, and what is done with their sessions. */
import { Effect } from "effect"
import { anAgent, type Tenant, TestApi } from "./support.ts"

/** Where runs are. */
export const RUNS = "/api/v1/runs/"

/** Runs these steps to their end and answers the run. */
export const play = Effect.fnUntraced(function* (tenant: Tenant, steps: ReadonlyArray<unknown>, more: object = {}) {
  const api = yield* TestApi
  const agent_id = yield* anAgent(tenant)
  const body = { agent_id, input: { steps }, wait_seconds: 10, ...more }
  return (yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body })).json
})
/** A question. */
export const ask = [{ ask: "Shall I?", interrupt: { amount: 40 } }]
const sleep = [{ say: "begun" }, { sleep_ms: 60_000 }, { return: "too late" }]
/** A run that executes and does not end by itself. */
export const aRunningRun = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  const run = yield* play(tenant, sleep, { wait_seconds: 0 })
  const log = yield* api.fetch("GET", `${RUNS}${String(run["run_id"])}/logs`, { key: tenant.workspaceKey })
  const reader = log.body!.getReader()
  let text = ""
  while (!text.includes("message.delta")) {
    const { value } = yield* Effect.promise(() => reader.read())
    text += new TextDecoder().decode(value)
  }
  yield* Effect.promise(() => reader.cancel())
  return { runId: String(run["run_id"]), sessionId: String(run["session_id"]) }
})
/** The calls about one session. */
export const inSession = (tenant: Tenant, session: unknown) =>
  Effect.map(TestApi, (api) => ({
    read: api.call("GET", `/api/v1/sessions/${String(session)}`, { key: tenant.workspaceKey }),
    messages: (query = "") =>
      api.call("GET", `/api/v1/sessions/${String(session)}/messages${query}`, { key: tenant.workspaceKey }),
    reply: (body: object, headers: Record<string, string> = {}) =>
      api.call("POST", `/api/v1/sessions/${String(session)}/messages`, { key: tenant.workspaceKey, body, headers }),
    cancel: (body: object = {}) =>
      api.call("POST", `/api/v1/sessions/${String(session)}/cancel`, { key: tenant.workspaceKey, body }),
    run: (id: unknown) => api.call("GET", `${RUNS}${String(id)}?wait_seconds=20`, { key: tenant.workspaceKey })
  }))
