/** The cost of model calls, and caps on it, in a service of yours. */
export type { HostDatabase } from "../internal/database.ts"
export { EmbedError } from "../internal/EmbedError.ts"
export type { LogEntry } from "../internal/runtime.ts"
export { createBilling } from "./createBilling.ts"
export type { CustomerSpend, EmbeddedBilling, MeteredCall, Usage } from "./EmbeddedBilling.ts"
export type { BillingErrorCode } from "./errors.ts"
export type { BillingOptions, ModelPrice } from "./options.ts"
