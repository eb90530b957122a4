/** Agents, sessions and runs. */
export {
  Agent,
  type AgentEndpoint,
  AgentFlawed,
  AgentId,
  AgentNotFound,
  type AgentSettings,
  AgentVersionConflict,
  ENDPOINT_GRACE_SECONDS_MAX,
  EndpointMissing,
  endpointSecretPlace,
  type McpServer,
  mcpHeadersPlace,
  RecipeUnknown
} from "./Agent.ts"
export { type AgentTemplateSettings, agentTemplateSettings } from "./AgentTemplate.ts"
export { AGENT_VERSIONS_MAX, type AgentVersion, type AgentVersionSettings, versionOf } from "./AgentVersion.ts"
export { OverrideRefused } from "./acceptance/overridesFor.ts"
export { QUEUED_RUNS_MAX } from "./acceptance/QueueLimit.ts"
export { AgentUrlRefused } from "./admitUrls.ts"
export { ATTEMPT_TOKEN_PREFIX } from "./attemptToken.ts"
export {
  type ApprovalReply,
  type CallReplies,
  CallReplyRefused,
  readCallReplies,
  type ToolResultReply
} from "./CallReply.ts"
export { endingOf } from "./endingOf.ts"
export { agentPausedReminder, outcomeEvent, runEventKinds, runStarted } from "./events.ts"
export {
  type AgentWithWebhook,
  type InboundWebhook,
  type InputMap,
  isActive,
  Verification,
  WebhookInputTooLarge,
  WebhookNotFound,
  type WebhookSecrets,
  WebhookSecretUnusable,
  WebhookSignatureInvalid,
  webhookSecretPlace
} from "./InboundWebhook.ts"
export { mismatchDetail as schemaMismatchOf } from "./jsonSchema.ts"
export { llmRequestData } from "./llmRequest.ts"
export { loggable } from "./loggable.ts"
export {
  type FunctionTool,
  type Given,
  MODEL_SETTINGS,
  type ModelSettings,
  OVERRIDABLE,
  type Overridable,
  REASONING_EFFORTS,
  type ReasoningEffort,
  type RunOverrides,
  type ToolChoice
} from "./ModelSettings.ts"
export { RUN_MEASURES } from "./measures.ts"
export {
  type AgentFlaw,
  AgentRunner,
  type Recipe,
  type RecipeSettings,
  type Turn,
  type TurnCheckpoint
} from "./ports/AgentRunner.ts"
export { AgentStore } from "./ports/AgentStore.ts"
export { type Checkpoint, CheckpointStore } from "./ports/CheckpointStore.ts"
export { InboundWebhookStore } from "./ports/InboundWebhookStore.ts"
export { RecordKeyStore } from "./ports/RecordKeyStore.ts"
export { type AddedRun, RunAcceptance } from "./ports/RunAcceptance.ts"
export { RunContentStore } from "./ports/RunContentStore.ts"
export { type RemovableRuns, RunEraser, type RunSelection } from "./ports/RunEraser.ts"
export { type ChangedRun, RunFeed, RunFeedPosition } from "./ports/RunFeed.ts"
export { type CompressedLogs, type ForgottenRuns, RunHistory } from "./ports/RunHistory.ts"
export { RunLog, type RunLogEntry } from "./ports/RunLog.ts"
export { type OutcomeCount, type OutcomePortion, RunOutcomes } from "./ports/RunOutcomes.ts"
export {
  type ClaimedRun,
  type ClaimRequest,
  type Claims,
  RunQueue,
  type Share,
  type Shares,
  type Turns
} from "./ports/RunQueue.ts"
export { RunReader } from "./ports/RunReader.ts"
export { type HeldFacts, type HeldRun, RunSettlement, type Settled } from "./ports/RunSettlement.ts"
export { ScheduleStore, type WorkspacePlace } from "./ports/ScheduleStore.ts"
export { SessionRuns } from "./ports/SessionRuns.ts"
export { SessionStore } from "./ports/SessionStore.ts"
export { SpendGate } from "./ports/SpendGate.ts"
export {
  type Admitted,
  type CallPayer,
  type ModelCall,
  type ModelCallEnd,
  type SeenTokens,
  SpendGuard,
  SpendRefused
} from "./ports/SpendGuard.ts"
export { type RecordKey, RunNotFinished, recordKeyPlace } from "./RecordKey.ts"
export { makeRedactor, type Redactor } from "./Redactor.ts"
export {
  type AwaitsCallback,
  CapReached,
  DURATION_SECONDS_DEFAULT,
  DURATION_SECONDS_MAX,
  FinishReason,
  INPUT_BYTES_MAX,
  INTERRUPT_BYTES_MAX,
  InputSchemaMismatch,
  isQuestionOpen,
  isTerminal,
  PROVIDER_ERROR_CODES,
  QueueFull,
  Run,
  RunErrorCode,
  RunId,
  RunNotFound,
  RunStatus,
  RunTrigger,
  type TurnEnd,
  type TurnOutcome,
  type Usage,
  WorkspaceClosed
} from "./Run.ts"
export {
  CONTENT_BASE64_LENGTH_MAX,
  CONTENT_PARTS_MAX,
  type ContentPart,
  type ContentSource,
  FILE_TYPES,
  IMAGE_TYPES
} from "./RunContent.ts"
export {
  finalEvent,
  keptData,
  LOG_PAGE_BYTES,
  type NewRunEvent,
  type RunEvent,
  RunEventType
} from "./RunEvent.ts"
export { RUN_EVENT_DATA } from "./RunEventData.ts"
export { type FollowingRuns, type RunHub, RunPositionUnknown } from "./RunHub.ts"
export {
  OPENING_LENGTH_MAX,
  openingOf,
  RUNS_LOOKED_AT_MAX,
  type RunFilter,
  type RunOpening,
  type RunPageRequest,
  type RunPosition,
  readPosition,
  toRunPage
} from "./RunList.ts"
export {
  type Approval,
  approvalOf,
  makeRecordItems,
  type RecordItem,
  type RecordMessage,
  type RunRecord,
  type TimelineEntry
} from "./RunRecord.ts"
export { Runs, type RunsPorts } from "./Runs.ts"
export { type DemoMode, makeDemo } from "./recipes/demo.ts"
export { type HttpRecipeOptions, makeHttpRecipe } from "./recipes/http.ts"
export { AGENT_LINES } from "./recipes/httpLines.ts"
export { encoded, lengthOf, streamed } from "./record/blocks.ts"
export { collectRecord, type ListedItem, type RecordHead } from "./record/collectRecord.ts"
export { canonicalPieces, type RecordDocument, withIntegrity } from "./record/recordDocument.ts"
export { EMBEDDED_BYTES_MAX, embedded, recordHtml } from "./record/recordHtml.ts"
export { recordMarkdown } from "./record/recordMarkdown.ts"
export { type Redaction, redact, redactCredentials, redactText } from "./redact.ts"
export {
  MISSED_AFTER_MINUTES,
  MissedTimes,
  Schedule,
  type ScheduleError,
  ScheduleErrorCode,
  ScheduleId,
  ScheduleNotFound,
  type ScheduleSettings,
  ScheduleVersionConflict
} from "./Schedule.ts"
export { Schedules, type SchedulesPorts } from "./Schedules.ts"
export {
  type IfBusy,
  InterruptAlreadyAnswered,
  InterruptCancelled,
  InterruptSchemaMismatch,
  RunNotPaused,
  type Session,
  SessionBusy,
  SessionId,
  SessionNotFound
} from "./Session.ts"
export {
  askedAt,
  type BeginningFilter,
  SESSIONS_LOOKED_AT_MAX,
  type SessionBeginning,
  type SessionFilter,
  type SessionStanding,
  SessionStatus,
  sessionStatusOf,
  toBeginningPage
} from "./SessionList.ts"
export { messagesOf, type SessionMessage } from "./SessionMessage.ts"
export { type StartedIn, StartSubscribers } from "./StartSubscribers.ts"
export { sealedAgentSecrets, sealedRecordKeys, sealedWebhookSecrets } from "./sealedSecrets.ts"
export { historyOf } from "./sessionHistory.ts"
export { RUNS_READY, runChanged } from "./signals.ts"
export { storableText } from "./storable.ts"
export { CRON_LENGTH_MAX, TimetableFlawed } from "./Timetable.ts"
export type { TriggerRun } from "./TriggerRun.ts"
export { changedAgentTemplate, newAgentTemplate } from "./use-cases/agent-templates/agentTemplates.ts"
export { followAgent } from "./use-cases/agent-templates/followAgent.ts"
export { archiveAgent } from "./use-cases/archiveAgent.ts"
export type { CancelMode } from "./use-cases/cancelRuns.ts"
export type { CancelSession } from "./use-cases/cancelSession.ts"
export { compressLogs, LOG_COMPRESSED_AFTER_SECONDS } from "./use-cases/compressLogs.ts"
export type { CreateAgent, GivenSettings, WrittenAgent } from "./use-cases/createAgent.ts"
export type { CreatedWebhook, CreateWebhook } from "./use-cases/createWebhook.ts"
export { endRuns } from "./use-cases/endRuns.ts"
export { AttemptOver } from "./use-cases/findAttempt.ts"
export { type ForgettingRuns, forgetRuns, RUN_HISTORY_DAYS_MIN } from "./use-cases/forgetRuns.ts"
export type { ListRuns } from "./use-cases/listRuns.ts"
export type { ListedSession, ListSessions } from "./use-cases/listSessions.ts"
export {
  CALLBACK_LINES_MAX,
  type Callback,
  CallbackNotAwaited,
  CallbackUnusable,
  type ReceiveCallback
} from "./use-cases/receiveCallback.ts"
export type { ReceiveWebhook } from "./use-cases/receiveWebhook.ts"
export { recoverRuns } from "./use-cases/recoverRuns.ts"
export { remindOfQuestions } from "./use-cases/remindOfQuestions.ts"
export type { ReplyToSession } from "./use-cases/replyToSession.ts"
export type { CreateSchedule } from "./use-cases/schedules/createSchedule.ts"
export { fireSchedules } from "./use-cases/schedules/fireSchedules.ts"
export type { UpdateSchedule } from "./use-cases/schedules/updateSchedule.ts"
export { type Integrity, rotateRecordKey } from "./use-cases/signRecord.ts"
export type { UpdateAgent } from "./use-cases/updateAgent.ts"
export { type RunWorkerPorts, startRunWorker } from "./worker/RunWorker.ts"
export { RUN_WORKER_DEFAULTS, type RunWorkerOptions } from "./worker/RunWorkerOptions.ts"
