import { type Erased, portionOf, rowsMaxOf } from "@agent-platform/kernel"
import { countWhere, eraseWhere, MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import type { Agent } from "../Agent.ts"
import type { AgentVersion } from "../AgentVersion.ts"
import type { InboundWebhook } from "../InboundWebhook.ts"
import type { Checkpoint } from "../ports/CheckpointStore.ts"
import { RunEraser, type RunSelection } from "../ports/RunEraser.ts"
import { isQuestionOpen, isTerminal, type Run, type RunId } from "../Run.ts"
import type { RunEvent } from "../RunEvent.ts"
import type { Schedule } from "../Schedule.ts"
import type { Session, SessionId } from "../Session.ts"
import { RUN_CONTENT } from "./MemoryRunContentStore.ts"
import { endedRuns } from "./MemoryRunOutcomes.ts"
import { heldOf, type RunRow, runRows } from "./runRows.ts"

/** A session as memory keeps it. */
export interface SessionRow extends Session {
  /** Whether it is being erased. */
  readonly closed?: true
}

const isSelected =
  ({ agentId, runId, sessionId, workspaceId }: RunSelection) =>
  ({ run }: RunRow): boolean =>
    run.workspaceId === workspaceId &&
    (agentId === undefined || run.agentId === agentId) &&
    (runId === undefined || run.id === runId) &&
    (sessionId === undefined || run.sessionId === sessionId)

/** Whether this row is one of those that are to be erased. */
const isErased = (
  what: Erased,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string }
): boolean => {
  switch (what._tag) {
    case "Resources":
      return what.workspaceId === workspaceId && what.ids.includes(id)
    case "Tenant":
      return what.workspaceId === workspaceId
    case "Person":
      return false
  }
}

/** The parts of an ended run that are still counted, without anything that was said in it. */
const outcomeAlone = (run: Run): Run => ({
  ...run,
  prompt: null,
  input: null,
  overrides: null,
  message: null,
  interrupt: null,
  result: null,
  error: null,
  metadata: {},
  tags: []
})

const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const rows = runRows(database)
  const ended = endedRuns(database)
  const sessions = database.table<SessionRow>("session")
  const agents = database.table<Agent>("agent")
  const versions = database.table<AgentVersion>("agent_version")
  const webhooks = database.table<InboundWebhook>("agent_webhook")
  const schedules = database.table<Schedule>("schedule")
  const logs = database.table<ReadonlyArray<RunEvent>>("run_event")
  const checkpoints = database.table<Checkpoint>("run_checkpoint")
  const contents = database.table<unknown>(RUN_CONTENT)
  const selected = (selection: RunSelection) => Effect.map(rows.all, (all) => all.filter(isSelected(selection)))

  /**
   * Repairs a session after some of its runs are gone: questions that are still open cannot be answered any more. Returns how many
   * sessions it removed: 1 where no run is left.
   */
  const mend = Effect.fnUntraced(function* (sessionId: SessionId, gone: ReadonlySet<RunId>) {
    const left = yield* rows.inSession(sessionId)
    if (left.length === 0) {
      const known = yield* sessions.get(sessionId)
      yield* sessions.remove(sessionId)
      return known === undefined ? 0 : 1
    }
    const questionCancelledAt = yield* DateTime.now
    for (const [index, row] of left.entries()) {
      const { run } = row
      // It may repeat what was said in the runs that are gone.
      yield* checkpoints.remove(run.id)
      const without = (id: RunId | null) => (id !== null && gone.has(id) ? null : id)
      yield* rows.put(run.id, {
        ...row,
        // Lists of sessions find a session by the run in the first position.
        position: index === 0 ? 1 : row.position,
        run: {
          ...run,
          resumesRunId: without(run.resumesRunId),
          resumedByRunId: without(run.resumedByRunId),
          ...(isQuestionOpen(run) ? { questionCancelledAt } : {})
        }
      })
    }
    return 0
  })

  return RunEraser.of({
    count: Effect.fnUntraced(function* (what, max) {
      return {
        sessions: yield* countWhere(sessions, (session) => isErased(what, session), max),
        agent_webhooks: yield* countWhere(
          webhooks,
          ({ agentId, workspaceId }) => isErased(what, { id: agentId, workspaceId }),
          max
        ),
        agent_versions: yield* countWhere(
          versions,
          ({ agentId, workspaceId }) => isErased(what, { id: agentId, workspaceId }),
          max
        ),
        agents: yield* countWhere(agents, (agent) => isErased(what, agent), max)
      }
    }),

    erase: Effect.fnUntraced(function* (what, rowsMax) {
      const max = rowsMaxOf(what, rowsMax)
      const all = yield* rows.all
      const isEmpty = ({ id }: Session) => !all.some(({ run }) => run.sessionId === id)
      const isUnused = ({ id }: Agent) => !all.some(({ run }) => run.agentId === id)
      return portionOf(what, {
        sessions: yield* eraseWhere(
          sessions,
          ({ id }) => id,
          (one) => isErased(what, one) && isEmpty(one),
          max
        ),
        agent_webhooks: yield* eraseWhere(
          webhooks,
          ({ agentId }) => agentId,
          ({ agentId, workspaceId }) => isErased(what, { id: agentId, workspaceId }),
          max
        ),
        schedules: yield* eraseWhere(
          schedules,
          ({ id }) => id,
          ({ agentId, workspaceId }) => isErased(what, { id: agentId, workspaceId }),
          max
        ),
        agent_versions: yield* eraseWhere(
          versions,
          ({ agentId, version }) => `${agentId} ${version}`,
          ({ agentId, workspaceId }) => isErased(what, { id: agentId, workspaceId }),
          max
        ),
        agents: yield* eraseWhere(
          agents,
          ({ id }) => id,
          (one) => isErased(what, one) && isUnused(one),
          max
        )
      })
    }),

    closeSession: Effect.fnUntraced(function* (workspaceId, id) {
      const session = yield* sessions.get(id)
      if (session?.workspaceId !== workspaceId) return false
      yield* sessions.put(id, { ...session, closed: true })
      return true
    }),

    countRuns: Effect.fnUntraced(function* (selection, max) {
      const meant = yield* selected(selection)
      const entries = yield* Effect.forEach(meant, ({ run }) => logs.get(run.id))
      const log_entries = entries.reduce((sum, log) => sum + (log?.length ?? 0), 0)
      const counts = { runs: Math.min(meant.length, max), log_entries: Math.min(log_entries, max) }
      if (selection.agentId === undefined && selection.runId === undefined) return counts
      const gone = new Set(meant.map(({ run }) => run.id))
      const touched = [...new Set(meant.map(({ run }) => run.sessionId))]
      const left = yield* Effect.forEach(touched, (id) =>
        Effect.map(rows.inSession(id), (all) => all.filter(({ run }) => !gone.has(run.id)).length)
      )
      return { ...counts, sessions: Math.min(left.filter((others) => others === 0).length, max) }
    }),

    idsOf: (selection, max) => Effect.map(selected(selection), (meant) => meant.slice(0, max).map(({ run }) => run.id)),

    unfinished: Effect.fnUntraced(function* (selection, max) {
      const isChosen = isSelected(selection)
      const all = yield* rows.all
      const sessionIds = new Set(all.filter(isChosen).map(({ run }) => run.sessionId))
      const meant = all.filter(
        (row) => isChosen(row) || (row.run.status === "running" && sessionIds.has(row.run.sessionId))
      )
      return meant
        .filter(({ run }) => !isTerminal(run))
        .slice(0, max)
        .map(heldOf)
    }),

    unfinishedOf: Effect.fnUntraced(function* (organizationId, max) {
      const meant = (yield* rows.all).filter(({ run }) => run.organizationId === organizationId && !isTerminal(run))
      return meant.slice(0, max).map(heldOf)
    }),

    // Outcomes are kept apart from runs in memory, so that none waits to be counted.
    hold: Effect.fnUntraced(function* (selection, { max }) {
      const all = yield* rows.all
      const executing = new Set(all.filter(({ run }) => run.status === "running").map(({ run }) => run.sessionId))
      const meant = all.filter(isSelected(selection))
      const free = meant.filter(({ run }) => isTerminal(run) && !executing.has(run.sessionId)).slice(0, max)
      return { ids: free.map(({ run }) => run.id), isLast: free.length === meant.length }
    }),

    remove: Effect.fnUntraced(function* (workspaceId, ids) {
      const gone = (yield* rows.all).filter(({ run }) => run.workspaceId === workspaceId && ids.includes(run.id))
      let log_entries = 0
      for (const { run } of gone) {
        log_entries += (yield* logs.get(run.id))?.length ?? 0
        for (const table of [logs, checkpoints, contents, rows]) yield* table.remove(run.id)
        const outcome = yield* ended.get(run.id)
        if (outcome !== undefined) yield* ended.put(run.id, outcomeAlone(outcome))
      }
      const touched = [...new Set(gone.map(({ run }) => run.sessionId))]
      const counts = yield* Effect.forEach(touched, (id) => mend(id, new Set(ids)))
      return { runs: gone.length, log_entries, sessions: counts.filter((count) => count > 0).length }
    })
  })
})

/** The eraser of runs, sessions and agents over a `MemoryDatabase`. */
export const layerRunEraser: Layer.Layer<RunEraser, never, MemoryDatabase> = Layer.effect(RunEraser, make)
