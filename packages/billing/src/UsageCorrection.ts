/** A change of a call after it was settled: the ledger's rows stay as they are. Spec: Analytics. */
import { Uuid } from "@agent-platform/kernel"
import { type DateTime, Schema } from "effect"
import type { CallId, CallOrigin } from "./LedgerEntry.ts"

export const CorrectionId = Uuid.pipe(Schema.brand("CorrectionId"))
export type CorrectionId = typeof CorrectionId.Type

/** A new price for a call of the ledger. The last one of a call holds. */
export interface UsageCorrection
  extends Pick<
    CallOrigin,
    "organizationId" | "workspaceId" | "runId" | "agentId" | "provider" | "requestModel" | "keySource"
  > {
  readonly id: CorrectionId
  readonly callId: CallId
  /** When the call was admitted, which decides the hour and the day that the correction counts for. */
  readonly calledAt: DateTime.Utc
  /** The present cost of the call, in USD. */
  readonly costUsd: string
  /** The difference to the cost before, in USD; below zero where the call costs less now. */
  readonly deltaUsd: string
  /** Whether nobody knew its price before. */
  readonly wasUnpriced: boolean
  readonly priceVersion: string
  /** The reason, for people. */
  readonly reason: string
  readonly createdAt: DateTime.Utc
}
