/** Effects that workers, use cases and adapters share, and that know no word of the product. */

export { beginningOfDay } from "./beginningOfDay.ts"
export { DatabaseSchema, DEFAULT_SCHEMA, parseSchema } from "./DatabaseSchema.ts"
export { type DatabaseTls, tlsOptionsOf } from "./DatabaseTls.ts"
export {
  ASK_FITNESS,
  type DatabaseHost,
  type DatabaseUrl,
  type Fitness,
  nameOfHost,
  parseDatabaseUrl,
  unfitness
} from "./DatabaseUrl.ts"
export {
  addDistributions,
  BUCKET_BOUNDS,
  bucketOf,
  type Distribution,
  percentilesOf,
  sumOfDistributions
} from "./Distribution.ts"
export { type HmacKey, hmacKey, hmacSha256 } from "./hmac.ts"
export { type LinkedList, type ListNode, makeLinkedList } from "./LinkedList.ts"
export {
  beginAtZero,
  counter,
  gauge,
  histogram,
  type Measure,
  type Meter,
  makeBoundedLabel,
  makeMeter,
  measure,
  SERIES_MAX,
  whileRunning
} from "./Measure.ts"
export { makeBatcher } from "./makeBatcher.ts"
export { makeBind } from "./makeBind.ts"
export { type Feed, type HubOptions, makeHub } from "./makeHub.ts"
export { parseTimezone } from "./parseTimezone.ts"
export { persistently, untilDone } from "./persistently.ts"
export { makeSignalHub, type SignalHub } from "./SignalHub.ts"
export { type SchemaFault, schemaFaultSentence, schemaFaults, shownName, shownPointer } from "./schemaFaults.ts"
export {
  type BeginSpan,
  type Continuation,
  currentTraceparent,
  type EndSpan,
  formatTraceparent,
  inTrace,
  makeBeginSpan,
  parseTraceparent
} from "./Trace.ts"
export { useCase } from "./useCase.ts"
