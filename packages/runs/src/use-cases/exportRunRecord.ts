import type { WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect, Stream } from "effect"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunLog } from "../ports/RunLog.ts"
import { RunReader } from "../ports/RunReader.ts"
import { RunNotFinished } from "../RecordKey.ts"
import { isTerminal, type Run, type RunId } from "../Run.ts"
import { type Approval, approvalOf, makeRecordItems, type RecordItem, type RunRecord } from "../RunRecord.ts"
import { findRun } from "./readRun.ts"
import { storedEvents } from "./readRunLog.ts"

const itemsOf = (log: RunLog["Service"], run: Run): Stream.Stream<RecordItem> =>
  Stream.suspend(() => {
    const items = makeRecordItems(run)
    const logged = Stream.flattenIterable(Stream.map(storedEvents(log, run.id, 0), items.add))
    return Stream.fromIterable(items.begin()).pipe(
      Stream.concat(logged),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(items.end())))
    )
  })

/** The question that the run answered, and the one that it ended on. */
const approvalsOf = Effect.fnUntraced(function* (run: Run) {
  const runs = yield* RunReader
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
 * A finished run as a record. Fails with RunNotFound, or with RunNotFinished before its end, because a record must stay
 * true. Secrets are still in it: `collectRecord` redacts them. Spec: Run record.
 */
export const exportRunRecord = useCase("runs.exportRunRecord")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly runId: RunId
}) {
  const agents = yield* AgentStore
  const run = yield* findRun(query)
  if (!isTerminal(run)) return yield* new RunNotFinished()
  const agent = yield* agents.recall(run.workspaceId, run.agentId)
  return {
    run,
    agent: { id: run.agentId, name: agent?.name ?? "" },
    approvals: yield* approvalsOf(run),
    items: itemsOf(yield* RunLog, run)
  } satisfies RunRecord
})
