/** Calls under way, settled ones, and corrections of their prices. */
import type { CallOrigin, LedgerEntry, Reservation, TokenUsage, UsageCorrection } from "@agent-platform/billing"
import { bigint, boolean, integer, money, named, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { type Fields, makeTable, type Row } from "../table.ts"

/** The columns that reservations and settled calls have in common. */
const known: Fields<CallOrigin & Pick<LedgerEntry, "seq" | "priceVersion" | "calledAt">> = {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: uuid(),
  runId: uuid(),
  sessionId: uuid(),
  agentId: uuid(),
  seq: integer(),
  attempt: integer(),
  provider: text(),
  requestModel: text(),
  keySource: text(),
  keyId: nullable(uuid()),
  priceVersion: nullable(text()),
  calledAt: timestamptz()
}

export const tokens: Fields<TokenUsage> = {
  inputTokens: bigint(),
  cacheReadTokens: bigint(),
  cacheWriteTokens: bigint(),
  outputTokens: bigint(),
  reasoningTokens: bigint()
}

export const reservationTable = makeTable<Reservation>("call_reservation", {
  ...known,
  inputTokensMax: bigint(),
  outputTokensMax: bigint(),
  amountUsd: nullable(money()),
  periodStart: timestamptz()
})

export const callTable = makeTable<LedgerEntry>("model_call", {
  ...known,
  ...tokens,
  responseModel: nullable(text()),
  status: text(),
  errorCode: nullable(text()),
  finishReason: nullable(text()),
  startedAt: timestamptz(),
  durationMillis: named("duration_ms", integer()),
  timeToFirstTokenMillis: named("time_to_first_token_ms", nullable(integer())),
  usageSource: text(),
  costUsd: nullable(money()),
  reservedUsd: nullable(money()),
  settledAt: timestamptz()
})

export const correctionTable = makeTable<UsageCorrection>("usage_correction", {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: uuid(),
  callId: uuid(),
  runId: uuid(),
  agentId: uuid(),
  provider: text(),
  requestModel: text(),
  keySource: text(),
  calledAt: timestamptz(),
  costUsd: money(),
  deltaUsd: money(),
  wasUnpriced: boolean(),
  priceVersion: text(),
  reason: text(),
  createdAt: timestamptz()
})

/** A call with its last correction, if there is one. */
const correctedTable = callTable.with<{
  readonly correctedCostUsd: string | null
  readonly correctedPriceVersion: string | null
}>({ correctedCostUsd: nullable(money()), correctedPriceVersion: nullable(text()) })

export const CORRECTED_COLUMNS = correctedTable.names

/** The call in a row of `CORRECTED_COLUMNS`, with the price that holds. */
export const toCorrected = (row: Row): LedgerEntry => {
  const { correctedCostUsd, correctedPriceVersion, ...entry } = correctedTable.read(row)
  return correctedCostUsd === null
    ? entry
    : { ...entry, costUsd: correctedCostUsd, priceVersion: correctedPriceVersion }
}
