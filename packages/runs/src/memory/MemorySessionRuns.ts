import { layerMemory } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { isQuestionOpen } from "../Run.ts"
import { openingOf } from "../RunList.ts"
import type { SessionId } from "../Session.ts"
import { askedAt, type SessionStanding } from "../SessionList.ts"
import { heldOf, type RunRow, runRows } from "./runRows.ts"

/** The runs of sessions over a `MemoryDatabase`. */
export const layerSessionRuns = layerMemory(SessionRuns)((database) => {
  const rows = runRows(database)
  const unfinishedOf = (found: ReadonlyArray<RunRow>) => ({
    queued: found.filter(({ run }) => run.status === "queued").length,
    running: found.filter(({ run }) => run.status === "running").length
  })
  return {
    countUnfinished: (sessionId) => Effect.map(rows.unfinished(sessionId), unfinishedOf),
    latest: (sessionId) => Effect.map(rows.inSession(sessionId), (found) => found.at(-1)?.run),
    holdUnfinished: Effect.fnUntraced(function* (sessionId, max, before) {
      const end = before === undefined ? undefined : yield* rows.get(before)
      const line = yield* rows.unfinished(sessionId)
      return line
        .filter(({ position }) => position < (end?.position ?? Infinity))
        .slice(-max)
        .map(heldOf)
    }),
    openQuestion: (sessionId) =>
      Effect.map(rows.inSession(sessionId), (found) => found.findLast(({ run }) => isQuestionOpen(run))?.run),
    standings: Effect.fnUntraced(function* (sessionIds) {
      const standings = new Map<SessionId, SessionStanding>()
      for (const sessionId of sessionIds) {
        const found = yield* rows.inSession(sessionId)
        const latest = found.at(-1)?.run
        if (latest === undefined) continue
        const asking = found.findLast(({ run }) => isQuestionOpen(run))?.run
        standings.set(sessionId, {
          unfinished: unfinishedOf(found),
          latest: { id: latest.id, status: latest.status, paused: latest.paused },
          question: asking && { id: asking.id, message: openingOf(asking.message), askedAt: askedAt(asking) }
        })
      }
      return standings
    }),
    answer: Effect.fnUntraced(function* (id, resumedByRunId) {
      const row = yield* rows.get(id)
      if (row === undefined || !isQuestionOpen(row.run)) return false
      yield* rows.put(id, { ...row, run: { ...row.run, resumedByRunId } })
      return true
    }),
    cancelQuestions: Effect.fnUntraced(function* (sessionId, questionCancelledAt) {
      const open = (yield* rows.inSession(sessionId)).filter(({ run }) => isQuestionOpen(run))
      for (const row of open) yield* rows.put(row.run.id, { ...row, run: { ...row.run, questionCancelledAt } })
      return open.map(({ run }) => run.id)
    }),
    remind: Effect.fnUntraced(function* ({ askedBefore, max }) {
      const due = (yield* rows.all).filter(
        ({ reminded, run }) =>
          reminded !== true &&
          isQuestionOpen(run) &&
          run.finishedAt !== null &&
          DateTime.isLessThan(run.finishedAt, askedBefore)
      )
      const found = due.slice(0, max)
      for (const row of found) yield* rows.put(row.run.id, { ...row, reminded: true })
      return found.map(({ run }) => run)
    })
  }
})
