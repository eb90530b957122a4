/** The secrets of an agent: made, sealed, and kept apart from the settings that are shown. */
import { SecretBox } from "@agent-platform/kernel"
import { Effect, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { type Agent, type AgentEndpoint, endpointSecretPlace, type McpServer, mcpHeadersPlace } from "./Agent.ts"

type Identity = Pick<Agent, "id" | "workspaceId">

/** A server of tools as a caller names it. */
export interface GivenMcpServer {
  readonly name: string
  readonly url: string
  /** Where headers are left out, a server that has this name and this URL already keeps its own. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The tools that the model gets; all where they are left out or null. */
  readonly tools?: ReadonlyArray<string> | null | undefined
}

/** An endpoint as a caller names it. */
export interface GivenEndpoint {
  readonly url: string
  /** Makes a new signing secret for a URL that stays the same, too. */
  readonly rotateSecret?: boolean | undefined
  /** How long the secret that is replaced signs on beside the new one, in seconds. */
  readonly graceSeconds?: number | undefined
}

/** A new secret for signatures: `whsec_` and 32 random bytes in base64. */
export const generateSecret: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(32)),
  (bytes) => Redacted.make(`whsec_${Base64.encode(bytes)}`)
)

/** A server whose given headers are sealed. */
export interface SealedMcpServer extends McpServer {
  /** Whether none were given, so that `withKeptHeaders` is to take them from the server before, if it is the same. */
  readonly keepsHeaders: boolean
}

/** Seals the headers of the servers that have some. */
export const sealServers = Effect.fnUntraced(function* (agent: Identity, given: ReadonlyArray<GivenMcpServer>) {
  const box = yield* SecretBox
  return yield* Effect.forEach(given, ({ headers, name, tools = null, url }) => {
    const keepsHeaders = headers === undefined
    const sealing =
      keepsHeaders || Object.keys(headers).length === 0
        ? Effect.succeed(null)
        : box.seal(mcpHeadersPlace(agent, { name }), Redacted.make(JSON.stringify(headers)))
    return Effect.map(sealing, (sealedHeaders): SealedMcpServer => ({ name, url, sealedHeaders, tools, keepsHeaders }))
  })
})

/**
 * The servers with the headers that they keep from before. Headers are kept for the very same URL only: they cannot be read, but under
 * another URL everybody who may change the agent could have them sent to a server of their own.
 */
export const withKeptHeaders = (
  servers: ReadonlyArray<SealedMcpServer>,
  before: ReadonlyArray<McpServer>
): ReadonlyArray<McpServer> =>
  servers.map(({ keepsHeaders, name, sealedHeaders, tools, url }) => {
    const same = keepsHeaders ? before.find((one) => one.name === name && one.url === url) : undefined
    return { name, url, sealedHeaders: same?.sealedHeaders ?? sealedHeaders, tools }
  })

const decodeHeaders = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

/** The secret of an agent's endpoint and the values of its servers' headers. One that cannot be opened here is left out. */
export const openAgentSecrets = Effect.fnUntraced(function* (
  agent: Agent
): Effect.fn.Return<ReadonlyArray<string>, never, SecretBox> {
  const box = yield* SecretBox
  const open = (place: string, sealed: string | null) =>
    sealed === null
      ? Effect.succeed([])
      : Effect.map(Effect.option(box.open(place, sealed)), (opened) => Option.toArray(opened).map(Redacted.value))
  const ofEndpoint = yield* Effect.forEach(
    [agent.endpoint?.sealedSecret ?? null, agent.endpoint?.retiring?.sealed ?? null],
    (sealed) => open(endpointSecretPlace(agent), sealed)
  )
  const ofServers = yield* Effect.forEach(agent.mcpServers, (server) =>
    open(mcpHeadersPlace(agent, server), server.sealedHeaders)
  )
  const headers = ofServers.flat().flatMap((text) => Object.values(Option.getOrElse(decodeHeaders(text), () => ({}))))
  return [...ofEndpoint.flat(), ...headers]
})

/** The endpoint under a new secret, and that secret. */
export const freshEndpoint = Effect.fnUntraced(function* (agent: Identity, url: string) {
  const box = yield* SecretBox
  const secret = yield* generateSecret
  const sealedSecret = yield* box.seal(endpointSecretPlace(agent), secret)
  const endpoint: AgentEndpoint = { url, sealedSecret, retiring: null }
  return { endpoint, secret }
})
