/**
 * The client for Node, Deno, workers and browsers. It has no dependencies. See docs/client.md.
 *
 * ```ts
 * import { createClient } from "@agent-platform/client"
 *
 * const client = createClient({ baseUrl: "https://agents.example.com", apiKey: "apk_ws_…" })
 * const run = await client.runs.triggerRun({ body: { agent_id: "…", message: "Hello" } })
 * for await (const event of client.followRun(run.run_id)) console.log(event.type)
 * ```
 */
export type { CallOptions } from "./CallOptions.ts"
export { type ChatMessage, type ChatRun, type ChatSaid, type SendToChat, sendToAgent } from "./chat.ts"
export { type AgentChatTransport, type ChatClient, type ChatOptions, createChatTransport } from "./chatTransport.ts"
export { type AgentPlatformClient, type ClientOptions, createClient } from "./createClient.ts"
export { ApiProblem, type ProblemBody, Unanswered } from "./failures.ts"
export type * from "./generated/calls.ts"
export type * from "./generated/schemas.ts"
export {
  type BrokenOff,
  MESSAGE_DONE,
  type MessageCall,
  type MessageChunk,
  type MessageRun
} from "./messageChunks.ts"
export {
  type Attempt,
  RETRY_DEFAULTS,
  type Repeatable,
  type RetryPolicy,
  repeatAfter,
  retryAfterSeconds
} from "./retry.ts"
export { makeEventReader, type Said, type ServerSentEvent } from "./serverSentEvents.ts"
export type {
  ChangedRun,
  FollowOptions,
  FollowRunsOptions,
  OrganizationEvent,
  PostedNotification,
  Streams
} from "./streams.ts"
