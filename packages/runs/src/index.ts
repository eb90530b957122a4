/** Agents, sessions and runs. */
export { type Agent, AgentId, AgentNotFound, RecipeUnknown } from "./Agent.ts"
export {
  events,
  outcomeEvent,
  RunEventData,
  RunPausedData,
  runCancelled,
  runFailed,
  runPaused,
  runSucceeded
} from "./events.ts"
export { executeRun, runChanged } from "./jobs.ts"
export { AgentRunner, type Recipe, type Turn } from "./ports/AgentRunner.ts"
export { AgentStore } from "./ports/AgentStore.ts"
export { RunLog, type RunLogEntry } from "./ports/RunLog.ts"
export { type ClaimedRun, RunStore, type SettledRun } from "./ports/RunStore.ts"
export { SessionStore } from "./ports/SessionStore.ts"
export {
  begun,
  DURATION_SECONDS_DEFAULT,
  DURATION_SECONDS_MAX,
  failed,
  finished,
  handedBack,
  INPUT_BYTES_MAX,
  isTerminal,
  lost,
  NO_USAGE,
  QueueFull,
  type Run,
  RunErrorCode,
  RunId,
  RunNotFound,
  RunStatus,
  RunTrigger,
  type TurnOutcome,
  type Usage
} from "./Run.ts"
export { endsLog, finalEvent, type NewRunEvent, type RunEvent, RunEventType } from "./RunEvent.ts"
export {
  isMeant,
  newestFirst,
  type RunFilter,
  type RunPageRequest,
  type RunPosition,
  readPosition,
  toRunPage,
  writePosition
} from "./RunList.ts"
export { Runs, type RunsPorts } from "./Runs.ts"
export { RUN_WORKER_DEFAULTS, type RunWorkerOptions, type RunWorkerPorts, startRunWorker } from "./RunWorker.ts"
export { demo } from "./recipes/demo.ts"
export { type Session, SessionBusy, SessionId, SessionNotFound } from "./Session.ts"
export type { CreateAgent } from "./use-cases/createAgent.ts"
export type { ListRuns } from "./use-cases/listRuns.ts"
export { QUEUED_RUNS_MAX, type TriggerRun } from "./use-cases/triggerRun.ts"
