import { useCase, type WorkspaceCaller } from "@agent-platform/kernel"
import { Effect } from "effect"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunLog } from "../ports/RunLog.ts"
import { RunStore } from "../ports/RunStore.ts"
import { RunNotFinished } from "../RecordKey.ts"
import { isTerminal, type Run, type RunId, RunNotFound } from "../Run.ts"
import { type Approval, approvalOf, makeTelling, messagesOfRecord, type RunRecord } from "../RunRecord.ts"

/** Events of the log that are read at once. */
const EVENTS_AT_ONCE = 500

const tellLog = Effect.fnUntraced(function* (run: Run) {
  const log = yield* RunLog
  const telling = makeTelling()
  let after = 0
  while (true) {
    const events = yield* log.read(run.id, { after, limit: EVENTS_AT_ONCE })
    for (const event of events) telling.add(event)
    const last = events.at(-1)
    if (last === undefined) return telling.end()
    after = last.seq
  }
})

/** The question that the run answered, and the one that it ended on. */
const approvalsOf = Effect.fnUntraced(function* (run: Run) {
  const runs = yield* RunStore
  const approvals: Array<Approval> = []
  if (run.resumesRunId !== null) {
    const question = yield* runs.find(run.workspaceId, run.resumesRunId)
    if (question !== undefined) approvals.push(approvalOf(question, run))
  }
  if (run.paused) {
    const answer = run.resumedByRunId === null ? undefined : yield* runs.find(run.workspaceId, run.resumedByRunId)
    approvals.push(approvalOf(run, answer))
  }
  return approvals
})

/**
 * A finished run told as a whole. Fails with RunNotFound, or with RunNotFinished before its end: what is told once stays
 * true. Secrets are still in it: see `redact`. Spec: Runs and sessions, record.
 */
export const exportRunRecord = useCase("runs.exportRunRecord")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly runId: RunId
}) {
  const runs = yield* RunStore
  const agents = yield* AgentStore
  const { workspaceId } = query.caller
  const run = yield* runs.find(workspaceId, query.runId)
  if (run === undefined) return yield* new RunNotFound()
  if (!isTerminal(run)) return yield* new RunNotFinished()
  const agent = yield* agents.recall(workspaceId, run.agentId)
  const { isTimelineCut, messages, timeline } = yield* tellLog(run)
  const record: RunRecord = {
    run,
    agent: { id: run.agentId, name: agent?.name ?? "" },
    timeline,
    isTimelineCut,
    messages: messagesOfRecord(run, messages),
    approvals: yield* approvalsOf(run)
  }
  return record
})
