/** Every port of billing in memory. */
export { ledgerRows } from "./ledgerRows.ts"
