/** The words and ports that every domain of Agent Platform shares. */
export type { Actor, OrganizationCaller, WorkspaceCaller } from "./Caller.ts"
export { canonicalJson } from "./canonicalJson.ts"
export {
  addCounts,
  countsOf,
  type ErasedCounts,
  Erasure,
  type ErasureCount,
  ErasureId,
  ErasureKind,
  ErasureNotFound,
  ErasureState,
  isErasureFinished
} from "./Erasure.ts"
export {
  bodyOf,
  defineEvent,
  type EventKind,
  type EventRecord,
  EventTime,
  EventUsd,
  isByName,
  SAMPLE_ID
} from "./Event.ts"
export {
  ActivityId,
  type ActivityRecord,
  type ActivityTally,
  type FeedPayload,
  type NoticeClosing,
  NotificationId,
  type NotificationRecord,
  NotificationType
} from "./Feed.ts"
export { Fingerprints, sealedFingerprintKey } from "./Fingerprints.ts"
export { closeNotices, type NewActivity, type NewNotice, notify, recordActivity, tallyActivity } from "./feeds.ts"
export {
  beginTemplate,
  type Following,
  type FollowTemplate,
  followTemplate,
  makeFollower,
  openTemplate,
  type TemplateFollower,
  templateActor
} from "./followTemplate.ts"
export { EventId, firstIdAt, freshId, OrganizationId, parseId, timeOfId, Uuid, WorkspaceId } from "./Ids.ts"
export { type Created, claimOf, createdBefore, idempotently } from "./idempotently.ts"
export { defineJob, type Job, type JobKind, type JobOutcome, type QueueOfJobs } from "./Job.ts"
export {
  JobAlreadyRunning,
  type JobProgress,
  type JobRun,
  type JobRunEnd,
  JobRunId,
  JobRunStatus,
  JobTrigger,
  keptText,
  resumedFrom
} from "./JobRun.ts"
export { isTooDeep, makeNestingCheck, NESTING_MAX } from "./nesting.ts"
export { type NoteOverrides, Overrides } from "./Overrides.ts"
export { PAGE_LIMIT_MAX, type Page, type PageRequest, toPage } from "./Page.ts"
export { ProcessName } from "./ProcessName.ts"
export { parseJson } from "./parseJson.ts"
export {
  Egress,
  EgressPurpose,
  type IncomingResponse,
  type OutgoingRequest,
  RequestFailed,
  RequestFailure,
  type StreamedResponse,
  type StreamRequest,
  UrlNotPublic
} from "./ports/Egress.ts"
export {
  ERASED_ID,
  ERASED_PERSON,
  type Erased,
  type ErasedPerson,
  type ErasedPortion,
  type ErasedResources,
  type ErasedTenant,
  type Eraser,
  portionOf,
  RecordEraser,
  rowsMaxOf
} from "./ports/Eraser.ts"
export { ErasureStore } from "./ports/ErasureStore.ts"
export { EventLog } from "./ports/EventLog.ts"
export { FeedLog, NOTICES_POSTED } from "./ports/FeedLog.ts"
export { FingerprintKeyStore } from "./ports/FingerprintKeyStore.ts"
export {
  type Claim,
  IDEMPOTENCY_HOURS,
  Idempotency,
  IdempotencyInProgress,
  IdempotencyKeyReused,
  type IdempotencyRequest
} from "./ports/Idempotency.ts"
export { JobHistory, type NewJobRun } from "./ports/JobHistory.ts"
export { JobQueue } from "./ports/JobQueue.ts"
export { JobSource, type WorkOptions } from "./ports/JobSource.ts"
export { EVENTS_ADDED, OUTBOX_LEASE_SECONDS, Outbox, type TakenEvent } from "./ports/Outbox.ts"
export { Peers, restAmongPeers } from "./ports/Peers.ts"
export type { SealedValue, SealedValues } from "./ports/SealedValues.ts"
export { SecretBox, SecretUnreadable } from "./ports/SecretBox.ts"
export { Signals } from "./ports/Signals.ts"
export { TemplateStore } from "./ports/TemplateStore.ts"
export { atomic, Transaction, UnitOfWork } from "./ports/UnitOfWork.ts"
export { publish, publishAll } from "./publish.ts"
export { DEFAULT_QUOTAS, NO_QUOTAS, QuotaExceeded, type QuotaLimits, QuotaName, Quotas } from "./Quotas.ts"
export {
  CHANGED_NUMBER_FAULT,
  changedNumberFault,
  JSON_FAULTS,
  type JsonPath,
  type JsonRead,
  readJson
} from "./readJson.ts"
export {
  DELETED,
  newSpread,
  type SealedTemplate,
  type Template,
  type TemplateBefore,
  TemplateChanged,
  type TemplateContent,
  TemplateFault,
  TemplateId,
  TemplateKind,
  type TemplateMember,
  TemplateNotFound,
  type TemplateSpread,
  templatePlace
} from "./Template.ts"
