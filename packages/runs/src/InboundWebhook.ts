/** The URL of an agent to which other systems send events; each event triggers a run. Spec: Agents 3. */
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, type Effect, JsonPointer, Redacted, Schema } from "effect"
import { Digest } from "effect/crypto"
import type { Agent, AgentId } from "./Agent.ts"
import { jsonBytes, utf8 } from "./utf8.ts"

/** How a request proves its sender. */
export const Verification = Schema.Literals(["none", "stripe", "github", "standard-webhooks"])
export type Verification = typeof Verification.Type

/** For each member of the run's input, by its name, the JSON pointer (RFC 6901) to its value in the received body. */
export type InputMap = Readonly<Record<string, string>>

/** An agent's inbound webhook. There is at most one; another replaces it. */
export interface InboundWebhook {
  readonly agentId: AgentId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  /** The SHA-256 of the URL's token, in hex. The token itself is kept nowhere. */
  readonly tokenHash: string
  readonly verification: Verification
  /** The sender's secret, sealed for `webhookSecretPlace`; null without verification, and once it is deleted. */
  readonly sealedSecret: string | null
  /** How the run's input is made from the body; null takes the whole body. */
  readonly map: InputMap | null
  readonly createdAt: DateTime.Utc
  /** When a request was last accepted, or up to a second earlier: of several within a second only one is noted. */
  readonly lastReceivedAt: DateTime.Utc | null
  readonly deletedAt: DateTime.Utc | null
}

/** An agent beside its inbound webhook, which may be deleted; null when it never had one. */
export interface AgentWithWebhook {
  readonly agent: Agent
  readonly webhook: InboundWebhook | null
}

/** A new URL's token and, where requests are signed, their secret: both are shown once. */
export interface WebhookSecrets {
  readonly token: Redacted.Redacted
  readonly secret: Redacted.Redacted | null
}

/** There is no such URL: it never was one, was replaced, or was deleted. */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {}) {}

/** The request's signature is missing, does not match, or is too old. */
export class WebhookSignatureInvalid extends Schema.TaggedError<WebhookSignatureInvalid>()("WebhookSignatureInvalid", {
  /** The reason for the sender's log; without secrets. */
  detail: Schema.String
}) {}

/** The sender's secret has not the form that its verification demands. */
export class WebhookSecretUnusable extends Schema.TaggedError<WebhookSecretUnusable>()("WebhookSecretUnusable", {
  detail: Schema.String
}) {}

/** The mapped body is larger than a run's input may be. */
export class WebhookInputTooLarge extends Schema.TaggedError<WebhookInputTooLarge>()("WebhookInputTooLarge", {
  limitBytes: Schema.Int
}) {}

/** Whether requests to it are accepted. */
export const isActive = (webhook: InboundWebhook): boolean => webhook.deletedAt === null

/** The deleted webhook, without its secret. A webhook that was deleted before keeps its time. Spec: Agents 2. */
const deleted = (webhook: InboundWebhook, now: DateTime.Utc): InboundWebhook =>
  isActive(webhook) ? { ...webhook, sealedSecret: null, deletedAt: now } : webhook

/** The stored form of an inbound URL's token: its SHA-256 in hex. 256 random bits need no slower hash. */
export const hashOfToken = (token: Redacted.Redacted): Effect.Effect<string, never, Digest.Digest> =>
  Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, utf8(Redacted.value(token))))

/** The place that the sender's secret is sealed for: it opens for no other. */
export const webhookSecretPlace = (webhook: Pick<InboundWebhook, "agentId" | "workspaceId">): string =>
  `workspace/${webhook.workspaceId}/agent/${webhook.agentId}/webhook_secret`

const memberOf = (value: Schema.Json | undefined, name: string): Schema.Json | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  // An index has no leading zero. RFC 6901, 4.
  if (Array.isArray(value)) return /^(0|[1-9]\d{0,8})$/.test(name) ? value[Number(name)] : undefined
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, Schema.Json>>)[name] : undefined
}

/** The value that a JSON pointer leads to; undefined where it leads to nothing. */
export const valueAt = (body: Schema.Json, pointer: string): Schema.Json | undefined =>
  pointer === ""
    ? body
    : pointer.slice(1).split("/").map(JsonPointer.unescapeToken).reduce<Schema.Json | undefined>(memberOf, body)

/**
 * The input of a run, made from the body; a member whose pointer leads to nothing is null. Undefined where it is larger than
 * `bytesMax`. The sizes are added up member by member, because all pointers may lead to the same large value.
 */
export const inputOf = (map: InputMap | null, body: Schema.Json, bytesMax: number): Schema.Json | undefined => {
  if (map === null) return jsonBytes(body) <= bytesMax ? body : undefined
  const members: Array<[string, Schema.Json]> = []
  // The brace at the beginning. Each member adds its name, a colon, its value, and a comma or the brace at the end.
  let bytes = 1
  for (const [name, pointer] of Object.entries(map)) {
    const value = valueAt(body, pointer) ?? null
    bytes += jsonBytes(name) + jsonBytes(value) + 2
    if (bytes > bytesMax) return undefined
    members.push([name, value])
  }
  return Object.fromEntries(members)
}

/** The change of an inbound webhook: `InboundWebhook.deleted(webhook, now)`. */
export const InboundWebhook = { deleted }
