import { Egress } from "@agent-platform/kernel"
import { Effect, Schema } from "effect"
import type { GivenEndpoint, GivenMcpServer } from "./agentSecrets.ts"

/** One of an agent's URLs may not be called. */
export class AgentUrlRefused extends Schema.TaggedError<AgentUrlRefused>()("AgentUrlRefused", {
  /** The place of the server of tools among those given; null for the endpoint. */
  server: Schema.NullOr(Schema.Int),
  /** The reason, in a sentence that can be shown to the caller. */
  detail: Schema.String
}) {}

/** How many names are looked up at once. */
const LOOKUPS_MAX = 4

/**
 * Checks that the URLs of an agent may be called, except those in `known`, which were admitted before. It resolves names, so it
 * is done outside of every transaction. Fails with AgentUrlRefused for the first one that may not be called.
 */
export const admitUrls = Effect.fnUntraced(function* (
  given: {
    readonly endpoint?: GivenEndpoint | null | undefined
    readonly mcpServers?: ReadonlyArray<GivenMcpServer> | undefined
  },
  known: ReadonlySet<string> = new Set()
) {
  const egress = yield* Egress
  const urls = [
    ...(given.endpoint == null ? [] : [{ server: null, url: given.endpoint.url }]),
    ...(given.mcpServers ?? []).map(({ url }, server) => ({ server, url }))
  ].filter(({ url }) => !known.has(url))
  yield* Effect.forEach(
    urls,
    ({ server, url }) =>
      Effect.mapError(
        egress.admit(url, server === null ? "agents" : "mcp"),
        ({ detail }) => new AgentUrlRefused({ server, detail })
      ),
    { concurrency: LOOKUPS_MAX, discard: true }
  )
})
