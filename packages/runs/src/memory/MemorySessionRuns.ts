import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { isQuestionOpen } from "../Run.ts"
import { heldOf, runRows } from "./runRows.ts"

const make = Effect.gen(function* () {
  const rows = yield* runRows
  return SessionRuns.of({
    countUnfinished: (sessionId) =>
      Effect.map(rows.unfinished(sessionId), (found) => {
        const running = found.filter(({ run }) => run.status === "running").length
        return { queued: found.length - running, running }
      }),
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
    answer: (id, resumedByRunId) =>
      Effect.gen(function* () {
        const row = yield* rows.get(id)
        if (row === undefined || !isQuestionOpen(row.run)) return false
        yield* rows.put(id, { ...row, run: { ...row.run, resumedByRunId } })
        return true
      }),
    cancelQuestions: (sessionId, questionCancelledAt) =>
      Effect.gen(function* () {
        const open = (yield* rows.inSession(sessionId)).filter(({ run }) => isQuestionOpen(run))
        for (const row of open) yield* rows.put(row.run.id, { ...row, run: { ...row.run, questionCancelledAt } })
        return open.map(({ run }) => run.id)
      })
  })
})

/** The runs of sessions over a `MemoryDatabase`. */
export const layerSessionRuns: Layer.Layer<SessionRuns, never, MemoryDatabase> = Layer.effect(SessionRuns, make)
