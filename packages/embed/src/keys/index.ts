/** API keys in a service of yours. */
export type { HostClient } from "../clients/index.ts"
export type { HostDatabase } from "../internal/database.ts"
export { EmbedError } from "../internal/EmbedError.ts"
export type { LogEntry } from "../internal/runtime.ts"
export { createKeys } from "./createKeys.ts"
export type { EmbeddedKeys, InTransaction, Key, KeyUpdate, NewKey, Verified, VerifyRefusal } from "./EmbeddedKeys.ts"
export type { KeysErrorCode } from "./errors.ts"
export type { KeysOptions } from "./options.ts"
