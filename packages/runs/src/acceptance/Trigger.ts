/** Requests for a run, as they are accepted: by a call of the API, an inbound webhook, a schedule or a reply to a session. */
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

/** Whether triggers share a transaction with those of other callers, in which none may wait for a lock, or have it alone and may wait. */
export type Sharing = "shared" | "alone"

/** The trigger would have to wait in a shared transaction, and is to be accepted in one of its own. */
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

/** A request for one run, which is refused by the failures of its plan (`E`) or by those of all triggers. */
export interface Trigger<E> {
  /** The id of the run, by which it is found when the answer of its commit was lost. */
  readonly runId: RunId
  readonly caller: WorkspaceCaller
  readonly idempotency: IdempotencyRequest | undefined
  /** The `traceparent` of the caller. */
  readonly trace: string | null
  /** The agent that it names; undefined where the agent follows from the session. */
  readonly agentId: AgentId | undefined
  /** Whether it may share a transaction: it locks nothing but its agent. */
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
