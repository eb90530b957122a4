import { atomic, type IdempotencyRequest, idempotently, SecretBox, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { AgentId, AgentNotFound, isLive } from "../Agent.ts"
import { recordAgentAct } from "../activity.ts"
import { generateSecret } from "../agentSecrets.ts"
import {
  hashOfToken,
  type InboundWebhook,
  type InputMap,
  type Verification,
  WebhookNotFound,
  type WebhookSecrets,
  webhookSecretPlace
} from "../InboundWebhook.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"
import { demandUsableSecret } from "../webhookSignature.ts"

export interface CreateWebhook {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId
  readonly verification: Verification
  /** The sender's secret; generated where requests are to be signed and none is given. */
  readonly secret?: Redacted.Redacted | undefined
  readonly map?: InputMap | null | undefined
  readonly idempotency?: IdempotencyRequest | undefined
}

/** The webhook, and its secrets, which are shown only once: null in a repetition. */
export interface CreatedWebhook {
  readonly webhook: InboundWebhook
  readonly secrets: WebhookSecrets | null
}

/**
 * Gives an agent an inbound URL; one that it had before is gone at once. Fails with AgentNotFound or WebhookSecretUnusable.
 */
export const createWebhook = useCase("runs.createWebhook")(function* (command: CreateWebhook) {
  const { agentId, caller, verification } = command
  const { organizationId, workspaceId } = caller
  const agents = yield* AgentStore
  const webhooks = yield* InboundWebhookStore
  const box = yield* SecretBox
  if (command.secret !== undefined) yield* demandUsableSecret(verification, command.secret)

  const secret = verification === "none" ? null : (command.secret ?? (yield* generateSecret))
  const token = Redacted.make(
    Base64Url.encode(yield* SecureRandom.SecureRandom.use((random) => random.randomBytes(32)))
  )
  const tokenHash = yield* hashOfToken(token)
  const sealedSecret = secret === null ? null : yield* box.seal(webhookSecretPlace({ agentId, workspaceId }), secret)

  const create = Effect.gen(function* () {
    const agent = yield* agents.hold(workspaceId, agentId)
    if (agent === undefined || !isLive(agent)) return yield* new AgentNotFound()
    const webhook: InboundWebhook = {
      agentId,
      organizationId,
      workspaceId,
      tokenHash,
      verification,
      sealedSecret,
      map: command.map ?? null,
      createdAt: yield* DateTime.now,
      lastReceivedAt: null,
      deletedAt: null
    }
    yield* webhooks.put(webhook)
    yield* recordAgentAct(caller, "webhook_created", agent, { verification })
    const created: CreatedWebhook = { webhook, secrets: { token, secret } }
    return created
  })

  return yield* atomic(
    idempotently(command.idempotency, {
      create,
      idOf: ({ webhook }) => webhook.agentId,
      find: (id) =>
        Effect.flatMap(webhooks.ofAgents(workspaceId, [AgentId.make(id)]), ([webhook]) =>
          webhook === undefined
            ? Effect.fail(new WebhookNotFound())
            : Effect.succeed<CreatedWebhook>({ webhook, secrets: null })
        )
    })
  )
})
