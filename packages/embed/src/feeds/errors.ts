import type { ClientErrorCode, CommonErrorCode } from "../internal/EmbedError.ts"

/** The codes of `EmbedError` that this entry point has: the domain has no refusals of its own. */
export type FeedsErrorCode = CommonErrorCode | ClientErrorCode | "reader_invalid"
