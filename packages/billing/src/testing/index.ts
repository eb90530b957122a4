/** Contract suites for adapters of billing's ports, and builders for tests. */

export {
  aBilledRun,
  aCallEnd,
  aReservation,
  type BilledRun,
  BilledRuns,
  CALLED_AT,
  costing,
  NOVEMBER
} from "./BilledRuns.ts"
export { aLedgerEntry } from "./builders.ts"
export { callLedgerContract, type LedgerPorts } from "./callLedgerContract.ts"
export { EndedRuns, type RunEnd } from "./EndedRuns.ts"
export { ledgerModelContract } from "./ledgerModelContract.ts"
export { priceBookContract } from "./priceBookContract.ts"
export { aPriceOverride, priceOverrideStoreContract } from "./priceOverrideStoreContract.ts"
export { type RollUpPorts, type RollUpScript, rollUpContract } from "./rollUpContract.ts"
export { aCalendar, aTenantIn, Zones } from "./zones.ts"
