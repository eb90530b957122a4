/**
 * The client for Node, Deno and browsers. It stands alone: at run time it imports nothing but itself.
 *
 * ```ts
 * import { createClient } from "@agent-platform/contract/client"
 *
 * const client = createClient({ baseUrl: "https://agents.example.com", apiKey: "apk_ws_…" })
 * const run = await client.runs.triggerRun({ body: { agent_id: "…", message: "Hello" } })
 * for await (const event of client.followRun(run.run_id)) console.log(event.type)
 * ```
 */
export type { CallOptions, Calls, Items } from "./calls.ts"
export {
  type AgentPlatformClient,
  type ClientOptions,
  createClient,
  type FollowOptions,
  type OrganizationEvent,
  type RunEvent
} from "./createClient.ts"
export { ApiProblem, type ProblemBody, Unanswered } from "./failures.ts"
export { RETRY_DEFAULTS, type RetryPolicy } from "./retry.ts"
export { makeEventReader, type Said, type ServerSentEvent } from "./serverSentEvents.ts"
