/** What model calls cost: the ledger, prices, caps and what is read of them. */
export {
  CallId,
  type CallOrigin,
  type CallStatus,
  type KeySource,
  type LedgerEntry,
  type UsageSource
} from "./LedgerEntry.ts"
export { NO_TOKENS, type TokenUsage } from "./TokenUsage.ts"
