/** One model call as the ledger keeps it for ever. Spec: Analytics. */
import { type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, Schema } from "effect"
import type { TokenUsage } from "./TokenUsage.ts"

/** The id of a model call: one request that is sent to a provider. A request that is sent again is another call. */
export const CallId = Uuid.pipe(Schema.brand("CallId"))
export type CallId = typeof CallId.Type

/** Whose provider key paid: the workspace's own, or the platform's. */
export type KeySource = "byok" | "platform"

/** How a call ended. */
export type CallStatus = "ok" | "error" | "aborted"

/** The counter of the tokens: the provider, or nobody, in which case an upper bound counts as used. */
export type UsageSource = "provider" | "estimated"

/** The facts about a call that are known before it is made. */
export interface CallOrigin {
  readonly id: CallId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly runId: string
  readonly sessionId: string
  readonly agentId: string
  /** The attempt of the run that made the call. */
  readonly attempt: number
  readonly provider: string
  readonly requestModel: string
  readonly keySource: KeySource
  /** Null for the platform's key, and for a key that an agent of the workspace's own has used and reports of. */
  readonly keyId: string | null
}

/** How a call went, as its caller reports it. */
export interface CallOutcome {
  readonly status: CallStatus
  /** Without secrets. */
  readonly errorCode: string | null
  readonly finishReason: string | null
  readonly responseModel: string | null
  readonly startedAt: DateTime.Utc
  readonly durationMillis: number
  readonly timeToFirstTokenMillis: number | null
}

/** A row of the ledger. It is written once, when the call is settled, and never changed. */
export interface LedgerEntry extends CallOrigin, CallOutcome, TokenUsage {
  /** Its place among the calls of its run, from 1, in the order in which they were admitted. */
  readonly seq: number
  /** When it was admitted, which decides the hour, the day and the month that it counts for. */
  readonly calledAt: DateTime.Utc
  readonly usageSource: UsageSource
  /** In USD, as a decimal; null when the price is not known. */
  readonly costUsd: string | null
  /** The amount that was reserved for it; null when nobody knew the price. */
  readonly reservedUsd: string | null
  /** The source of its price; null when the price is not known. */
  readonly priceVersion: string | null
  readonly settledAt: DateTime.Utc
}
