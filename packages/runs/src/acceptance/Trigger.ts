/** The origins of a run: a call of the API, an event at an inbound webhook, or a reply to a session. */
import type { IdempotencyRequest, Transaction, WorkspaceCaller } from "@agent-platform/kernel"
import { type Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Agent, AgentId } from "../Agent.ts"
import type { AcceptanceAction, NewRun } from "../NewRun.ts"
import type { AgentRunner } from "../ports/AgentRunner.ts"
import type { AgentStore } from "../ports/AgentStore.ts"
import type { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"
import type { RunReader } from "../ports/RunReader.ts"
import type { SessionRuns } from "../ports/SessionRuns.ts"
import type { SessionStore } from "../ports/SessionStore.ts"
import type { RunId } from "../Run.ts"
import type { ContentPart } from "../RunContent.ts"
import type { NewRunEvent } from "../RunEvent.ts"

/** Whether triggers are accepted in one transaction, in which none may wait, or one is by itself. */
export type Sharing = "shared" | "alone"

/** The trigger would have to wait, and is to be accepted in a transaction of its own. */
export class NeedsOwnTransaction extends Schema.TaggedError<NeedsOwnTransaction>()("NeedsOwnTransaction", {}) {}

/** The plan of a run. */
export interface RunPlan extends Omit<NewRun, "id" | "caller" | "createdAt" | "trace"> {
  readonly beginsSession: boolean
  /** Whether the unfinished runs of the session are cancelled for it. */
  readonly interrupts: boolean
  /** The entries of its log before `run.queued`. */
  readonly events: ReadonlyArray<Pick<NewRunEvent, "type" | "data">>
  readonly action: AcceptanceAction
  /** Content beside its message; empty for none. */
  readonly content: ReadonlyArray<ContentPart>
}

/** The ports from which plans are made. */
export type PlanPorts =
  | AgentRunner
  | AgentStore
  | InboundWebhookStore
  | RunReader
  | SessionRuns
  | SecureRandom.SecureRandom
  | SessionStore

export interface Trigger<E> {
  /** The id of the run, by which it is found when the answer of its commit was lost. */
  readonly runId: RunId
  readonly caller: WorkspaceCaller
  readonly idempotency: IdempotencyRequest | undefined
  /** The `traceparent` of the caller. */
  readonly trace: string | null
  /** The agent that it names; undefined where the agent follows from the session. */
  readonly agentId: AgentId | undefined
  /** Whether it waits for nothing but its agent, and may share a transaction. */
  readonly isShareable: boolean
  /**
   * Makes the plan, with the named agent if it exists. It reads and locks but writes nothing, so that a refusal leaves nothing
   * to undo.
   */
  readonly plan: (
    agent: Agent | undefined,
    sharing: Sharing
  ) => Effect.Effect<RunPlan, E | NeedsOwnTransaction, PlanPorts | Transaction>
}
