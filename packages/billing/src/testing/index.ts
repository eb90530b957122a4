/** Contract suites for whoever implements billing's ports, and builders for tests. */
export { aLedgerEntry } from "./builders.ts"
