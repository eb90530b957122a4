import type { SealedValue, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, Effect, Layer } from "effect"
import type { AgentId } from "../Agent.ts"
import type { InboundWebhook } from "../InboundWebhook.ts"

/** Keeps the inbound webhooks of agents, one each. Tested by `inboundWebhookStoreContract`. */
export class InboundWebhookStore extends Context.Service<
  InboundWebhookStore,
  {
    /**
     * Writes the agent's webhook in place of the earlier one. It waits until nobody holds the earlier one, so that the old
     * URL triggers nothing once this is committed.
     */
    readonly put: (webhook: InboundWebhook) => Effect.Effect<void, never, Transaction>
    /** The webhooks of these agents of the workspace, deleted ones too; agents without one are left out. */
    readonly ofAgents: (
      workspaceId: WorkspaceId,
      ids: ReadonlyArray<AgentId>
    ) => Effect.Effect<ReadonlyArray<InboundWebhook>>
    /** The webhook of this agent whose token has this hash, unless it is deleted. */
    readonly findByToken: (agentId: AgentId, tokenHash: string) => Effect.Effect<InboundWebhook | undefined>
    /** As `findByToken`, held until the transaction ends: the webhook is not replaced or deleted meanwhile. Many may hold it at once. */
    readonly holdByToken: (
      agentId: AgentId,
      tokenHash: string
    ) => Effect.Effect<InboundWebhook | undefined, never, Transaction>
    /** Notes that the webhook with this token received something at `at`, unless a later time is noted. */
    readonly noteReceived: (
      agentId: AgentId,
      tokenHash: string,
      at: DateTime.Utc
    ) => Effect.Effect<void, never, Transaction>
    /** Up to `limit` secrets of every workspace's webhooks that are not deleted, after a position and in its order. */
    readonly sealedSecrets: (after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<SealedValue>>
    /** Puts `resealed` in the place of a secret that is still `value.sealed`; false when it is not, or is deleted. */
    readonly replaceSealedSecret: (value: SealedValue, resealed: string) => Effect.Effect<boolean, never, Transaction>
  }
>()("@agent-platform/runs/InboundWebhookStore") {
  /** For hosts that offer no inbound webhooks: no agent has one, and making one is a defect that says so. */
  static readonly layerNone: Layer.Layer<InboundWebhookStore> = Layer.succeed(InboundWebhookStore, {
    put: () => Effect.die(new Error("Inbound webhooks cannot be made: InboundWebhookStore.layerNone keeps none")),
    ofAgents: () => Effect.succeed([]),
    findByToken: () => Effect.succeed(undefined),
    holdByToken: () => Effect.succeed(undefined),
    noteReceived: () => Effect.void,
    sealedSecrets: () => Effect.succeed([]),
    replaceSealedSecret: () => Effect.succeed(false)
  })
}
