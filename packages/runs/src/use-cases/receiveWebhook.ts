import { type Actor, atomic, Fingerprints, type IdempotencyRequest, SecretBox } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted, type Schema } from "effect"
import type { Agent, AgentId } from "../Agent.ts"
import { acceptRun } from "../acceptance/acceptRun.ts"
import {
  hashOfToken,
  type InboundWebhook,
  inputOf,
  valueAt,
  WebhookInputTooLarge,
  WebhookNotFound,
  webhookSecretPlace
} from "../InboundWebhook.ts"
import { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"
import { INPUT_BYTES_MAX } from "../Run.ts"
import type { TriggerRun } from "../TriggerRun.ts"
import { utf8 } from "../utf8.ts"
import { type SignedRequest, verifySignature } from "../webhookSignature.ts"
import { planOf } from "./triggerRun.ts"

export interface ReceiveWebhook<ReadError, ParseError> extends Pick<SignedRequest, "headers"> {
  readonly agentId: AgentId
  readonly token: Redacted.Redacted
  /** Reads the body, which is done only for a token that exists. */
  readonly read: Effect.Effect<Uint8Array, ReadError>
  /** Parses the body as JSON, which is done only once the signature is verified. */
  readonly parse: (raw: Uint8Array) => Effect.Effect<Schema.Json, ParseError>
}

/** The time of the last receipt is noted at most this often, so that a burst does not write one row again and again. */
const NOTED_EVERY_SECONDS = 1

const stripeEventId = (body: Schema.Json): string | undefined => {
  const id = valueAt(body, "/id")
  return typeof id === "string" && id !== "" ? id : undefined
}

/** The sender's own id of the event, where the signature covers it. */
const signedEventId = (webhook: InboundWebhook, headers: SignedRequest["headers"], body: Schema.Json) => {
  switch (webhook.verification) {
    case "stripe":
      return stripeEventId(body)
    case "standard-webhooks":
      return headers["webhook-id"]
    case "github":
    case "none":
      return undefined
  }
}

/**
 * The identity of a request: the event's id where that is signed, else the signed body. Without a signature only the
 * Idempotency-Key counts, because anybody could name the id of an event.
 */
const repetitionOf = Effect.fnUntraced(function* (
  webhook: InboundWebhook,
  eventId: string | undefined,
  { headers, raw }: SignedRequest
) {
  const fingerprints = yield* Fingerprints
  const about = { scope: webhook.workspaceId, route: `POST /api/v1/hooks/${webhook.agentId}` }
  if (eventId !== undefined) {
    const key = yield* fingerprints.of("event", utf8(eventId))
    return { ...about, key: `event:${key}`, bodyHash: key } satisfies IdempotencyRequest
  }
  const bodyHash = yield* fingerprints.of("request", raw)
  const given = headers["idempotency-key"]
  if (webhook.verification === "none" && given === undefined) return undefined
  const key = webhook.verification === "none" ? `key:${given}` : `body:${bodyHash}`
  return { ...about, key, bodyHash } satisfies IdempotencyRequest
})

const noteReceipt = Effect.fnUntraced(function* (webhook: InboundWebhook) {
  const webhooks = yield* InboundWebhookStore
  const now = yield* DateTime.now
  const noted = webhook.lastReceivedAt
  if (noted !== null && DateTime.isGreaterThan(DateTime.add(noted, { seconds: NOTED_EVERY_SECONDS }), now)) return
  yield* atomic(webhooks.noteReceived(webhook.agentId, webhook.tokenHash, now))
})

/** The plan of an event's run. */
const planFor = Effect.fnUntraced(function* (
  { agentId, tokenHash }: InboundWebhook,
  command: TriggerRun,
  agent: Agent | undefined
) {
  const webhooks = yield* InboundWebhookStore
  if (agent === undefined) return yield* new WebhookNotFound()
  // Locked until the commit, so that a deleted URL triggers nothing once its deletion is answered. The agent is locked first,
  // as when it is archived, since the other order could deadlock.
  if ((yield* webhooks.holdByToken(agentId, tokenHash)) === undefined) return yield* new WebhookNotFound()
  return yield* planOf(command, agent, "alone")
})

const triggerOf = (webhook: InboundWebhook, eventId: string | undefined, input: Schema.Json) => {
  const { agentId, organizationId, workspaceId } = webhook
  const actor: Actor = { type: "system", id: agentId, label: "An inbound webhook" }
  const caller = { organizationId, workspaceId, actor }
  const command: TriggerRun = { caller, agentId, input, trigger: { type: "webhook", id: eventId ?? null } }
  return {
    caller,
    agentId,
    isShareable: false,
    plan: (agent: Agent | undefined) => planFor(webhook, command, agent)
  }
}

/**
 * Triggers a run by an agent's inbound URL, once for each event of the sender. Fails with WebhookNotFound as soon as
 * the URL is deleted or replaced, with WebhookSignatureInvalid, WebhookInputTooLarge, or as triggerRun does.
 */
export const receiveWebhook = useCase("runs.receiveWebhook")(function* <ReadError, ParseError>(
  command: ReceiveWebhook<ReadError, ParseError>
) {
  const { agentId, headers } = command
  const webhooks = yield* InboundWebhookStore
  const box = yield* SecretBox
  const tokenHash = yield* hashOfToken(command.token)
  const webhook = yield* webhooks.findByToken(agentId, tokenHash)
  if (webhook === undefined) return yield* new WebhookNotFound()
  const { sealedSecret, verification } = webhook
  const raw = yield* command.read
  if (verification !== "none" && sealedSecret !== null) {
    const secret = yield* Effect.orDie(box.open(webhookSecretPlace(webhook), sealedSecret))
    yield* verifySignature(verification, secret, { headers, raw })
  }

  const body = yield* command.parse(raw)
  const input = inputOf(webhook.map, body, INPUT_BYTES_MAX)
  if (input === undefined) return yield* new WebhookInputTooLarge({ limitBytes: INPUT_BYTES_MAX })
  const eventId = signedEventId(webhook, headers, body)
  const idempotency = yield* repetitionOf(webhook, eventId, { headers, raw })
  const triggered = yield* acceptRun({ ...triggerOf(webhook, eventId, input), idempotency })
  yield* noteReceipt(webhook)
  return triggered
})
