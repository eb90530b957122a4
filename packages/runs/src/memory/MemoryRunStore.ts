import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Agent } from "../Agent.ts"
import { sessionBegunBy } from "../NewRun.ts"
import { type AddedRun, type ClaimedRun, type HeldFacts, type HeldRun, RunStore } from "../ports/RunStore.ts"
import { begun, cancelRequested, isQuestionOpen, isTerminal, type Run, used } from "../Run.ts"
import { type NewRunEvent, type RunEvent, runStarted } from "../RunEvent.ts"
import { isMeant, newestFirst, toRunPage } from "../RunList.ts"
import type { Session } from "../Session.ts"
import { endedRuns } from "./MemoryRunOutcomes.ts"
import { isExpired, numbered, pickDue, type RunRow, runRows } from "./runRows.ts"

const heldOf = ({ claimToken, run }: RunRow): HeldRun => ({ run, claimToken })

const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const random = yield* SecureRandom.SecureRandom
  const rows = yield* runRows
  const ended = yield* endedRuns
  const agents = database.table<Agent>("agent")
  const sessions = database.table<Session>("session")
  const logs = database.table<ReadonlyArray<RunEvent>>("run_event")

  /** Appends to the log of the run in a row, and answers the row as it is then. */
  const logged = (row: RunRow, events: ReadonlyArray<NewRunEvent>) =>
    Effect.gen(function* () {
      if (events.length === 0) return row
      const earlier = (yield* logs.get(row.run.id)) ?? []
      yield* logs.put(row.run.id, [...earlier, ...numbered(row.run, row.lastSeq, events)])
      return { ...row, lastSeq: row.lastSeq + events.length }
    })

  const now = Effect.map(DateTime.now, (time) => time)
  const millis = Effect.map(DateTime.now, DateTime.toEpochMillis)
  const byToken = (token: string) => Effect.map(rows.all, (all) => all.find((row) => row.claimToken === token))
  /** The runs of which this is true, held: transactions in memory run one after another, which is hold enough. */
  const those = (max: number, isMeantNow: (row: RunRow, now: DateTime.Utc) => boolean) =>
    Effect.gen(function* () {
      const time = yield* now
      return (yield* rows.all)
        .filter((row) => isMeantNow(row, time))
        .slice(0, max)
        .map(heldOf)
    })

  const add = ({ beginsSession, events, run }: AddedRun) =>
    Effect.gen(function* () {
      if (beginsSession) yield* sessions.put(run.sessionId, sessionBegunBy(run))
      const position = (yield* rows.inSession(run.sessionId)).length + 1
      yield* rows.put(run.id, { run, position, claimToken: null, leaseUntil: 0, lastSeq: events.length })
      yield* logs.put(run.id, numbered(run, 0, events))
    })

  return RunStore.of({
    insert: (added) => Effect.forEach(added, add, { discard: true }),
    find: (workspaceId, id) =>
      Effect.map(rows.get(id), (row) => (row?.run.workspaceId === workspaceId ? row.run : undefined)),
    list: (workspaceId, filter, { before, limit }) =>
      Effect.map(rows.all, (all) => {
        const meant = all
          .map(({ run }) => run)
          .filter((run) => run.workspaceId === workspaceId && isMeant(run, filter))
          .filter((run) => before === undefined || newestFirst(before, run) < 0)
        return toRunPage(meant.sort(newestFirst).slice(0, limit + 1), limit)
      }),
    countQueued: (workspaceId, limit) =>
      Effect.map(rows.all, (all) =>
        Math.min(limit, all.filter(({ run }) => run.workspaceId === workspaceId && run.status === "queued").length)
      ),
    holdQueue: () => Effect.void,
    unfinishedAmong: (ids) =>
      Effect.map(
        Effect.forEach(ids, (id) => rows.get(id)),
        (found) => new Set(found.flatMap((row) => (row === undefined || isTerminal(row.run) ? [] : [row.run.id])))
      ),

    claim: (request) =>
      Effect.gen(function* () {
        const time = yield* now
        const { last, picked } = pickDue(yield* rows.all, request, time)
        const leaseUntil = DateTime.toEpochMillis(time) + request.leaseSeconds * 1000
        const claimed: Array<ClaimedRun> = []
        for (const row of picked) {
          const agent = yield* agents.get(row.run.agentId)
          if (agent === undefined) continue
          const run = begun(row.run, time)
          const claimToken = yield* random.uuidV4()
          const events = request.loggedAt === undefined ? [] : [runStarted(run, request.loggedAt)]
          yield* rows.put(run.id, { ...(yield* logged(row, events)), run, claimToken, leaseUntil })
          claimed.push({ run, agent, claimToken })
        }
        return { claimed, last }
      }),
    renew: (tokens, { leaseSeconds }) =>
      database.atomic(
        Effect.gen(function* () {
          const leaseUntil = (yield* millis) + leaseSeconds * 1000
          const held = new Map<string, DateTime.Utc | null>()
          for (const token of tokens) {
            const row = yield* byToken(token)
            if (row === undefined) continue
            held.set(token, row.run.cancelRequestedAt)
            yield* rows.put(row.run.id, { ...row, leaseUntil })
          }
          return held
        })
      ),
    hold: (claims) =>
      Effect.gen(function* () {
        const held = new Map<Run["id"], HeldFacts>()
        for (const { claimToken, runId } of claims) {
          const row = yield* rows.get(runId)
          if (row === undefined || isTerminal(row.run) || row.claimToken !== claimToken) continue
          const { cancelRequestedAt, costUsd, usage } = row.run
          held.set(runId, { cancelRequestedAt, costUsd, usage })
        }
        return held
      }),
    settle: (settled) =>
      Effect.gen(function* () {
        const written = new Set<HeldRun["run"]["id"]>()
        for (const { claimToken, events = [], run: settledRun } of settled) {
          const row = yield* rows.get(settledRun.id)
          if (row === undefined || row.claimToken !== claimToken || isTerminal(row.run)) continue
          const { costUsd, usage } = row.run
          const run = { ...settledRun, costUsd, usage }
          yield* rows.put(run.id, { ...(yield* logged(row, events)), run, claimToken: null, leaseUntil: 0 })
          if (isTerminal(run)) yield* ended.put(run.id, run)
          written.add(run.id)
        }
        return { written, hasDue: written.size > 0 }
      }),

    addUsage: (workspaceId, id, { costUsd, usage }) =>
      Effect.gen(function* () {
        const row = yield* rows.get(id)
        if (row === undefined || row.run.workspaceId !== workspaceId) return
        yield* rows.put(id, { ...row, run: used(row.run, usage, costUsd) })
      }),

    lapsed: ({ max }) =>
      Effect.flatMap(millis, (time) => those(max, (row) => row.claimToken !== null && row.leaseUntil <= time)),
    expired: ({ max }) => those(max, ({ run }, time) => run.status === "queued" && isExpired(run, time)),
    overdue: ({ graceSeconds, max }) =>
      those(
        max,
        ({ run }, time) =>
          run.status === "running" &&
          run.cancelRequestedAt !== null &&
          DateTime.isLessThanOrEqualTo(DateTime.add(run.cancelRequestedAt, { seconds: graceSeconds }), time)
      ),
    // A claim looks at the clock by itself.
    wakeScheduled: Effect.succeed(0),

    isBusy: (sessionId) => Effect.map(rows.unfinished(sessionId), (found) => found.length > 0),
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
    requestCancel: (id) =>
      Effect.gen(function* () {
        const row = yield* rows.get(id)
        if (row?.run.status !== "running") return undefined
        const run = cancelRequested(row.run, yield* now)
        yield* rows.put(id, { ...row, run })
        return run.cancelRequestedAt ?? undefined
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

/** Runs over a `MemoryDatabase`: one row a run, fenced by its claim. */
export const layerRunStore: Layer.Layer<RunStore, never, MemoryDatabase | SecureRandom.SecureRandom> = Layer.effect(
  RunStore,
  make
)
