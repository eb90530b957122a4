/** Contract suites for whoever implements billing's ports, and builders for tests. */

export { aBilledRun, aCallEnd, aReservation, type BilledRun, BilledRuns, CALLED_AT, NOVEMBER } from "./BilledRuns.ts"
export { aLedgerEntry } from "./builders.ts"
export { callLedgerContract, type LedgerPorts } from "./callLedgerContract.ts"
export { aPriceOverride, priceOverrideStoreContract } from "./priceOverrideStoreContract.ts"
