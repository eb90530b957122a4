/** Records of runs as documents: collected, redacted and written in pieces. */
export { encoded, lengthOf, streamed } from "./blocks.ts"
export { collectRecord, type ListedItem, type RecordHead } from "./collectRecord.ts"
export { canonicalPieces, type RecordDocument, withIntegrity } from "./recordDocument.ts"
export { EMBEDDED_BYTES_MAX, embedded, recordHtml } from "./recordHtml.ts"
export { recordMarkdown } from "./recordMarkdown.ts"
