import { layerMemory } from "@agent-platform/kernel/memory"
import { Clock, DateTime, Effect } from "effect"
import type { Agent } from "../Agent.ts"
import { type ClaimedRun, RunQueue } from "../ports/RunQueue.ts"
import { Run, type RunId } from "../Run.ts"
import { runStarted } from "../RunEvent.ts"
import { pickDue } from "./pickDue.ts"
import { appendTo, heldOf, isExpired, type RunRow, runRows } from "./runRows.ts"

/** The claim's token in the form of a UUID: who claims, and the last digits of the run's id, which are random. */
const tokenOf = (by: string, runId: RunId): string => {
  const digits = by + runId.replaceAll("-", "").slice(-16)
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

/** The queue of runs over a `MemoryDatabase`: one row a run, fenced by its claim. */
export const layerRunQueue = layerMemory(RunQueue)((database) => {
  const rows = runRows(database)
  const append = appendTo(database)
  const agents = database.table<Agent>("agent")

  const byToken = (token: string) => Effect.map(rows.all, (all) => all.find((row) => row.claimToken === token))
  /** The runs of which this is true. They need no lock, because transactions in memory run one after another. */
  const holdWhere = Effect.fnUntraced(function* (max: number, isHeld: (row: RunRow, now: DateTime.Utc) => boolean) {
    const time = yield* DateTime.now
    const meant = (yield* rows.all).filter((row) => isHeld(row, time))
    return meant.slice(0, max).map(heldOf)
  })

  return {
    claim: Effect.fnUntraced(function* (request) {
      const time = yield* DateTime.now
      const { last, picked } = pickDue(yield* rows.all, request, time)
      const leaseUntil = DateTime.toEpochMillis(time) + request.leaseSeconds * 1000
      const claimed: Array<ClaimedRun> = []
      for (const row of picked) {
        const agent = yield* agents.get(row.run.agentId)
        if (agent === undefined) continue
        const run = Run.begun(row.run, time, agent)
        const claimToken = tokenOf(request.by, run.id)
        const events = request.loggedAt === undefined ? [] : [runStarted(run, request.loggedAt)]
        yield* rows.put(run.id, { ...(yield* append(row, events)), run, claimToken, leaseUntil })
        claimed.push({ run, agent, claimToken })
      }
      return { claimed, last }
    }),
    renew: (tokens, { leaseSeconds }) =>
      database.atomic(
        Effect.gen(function* () {
          const leaseUntil = (yield* Clock.currentTimeMillis) + leaseSeconds * 1000
          const held = new Map<string, DateTime.Utc | null>()
          for (const token of tokens) {
            const row = yield* byToken(token)
            if (row === undefined || row.run.callbackUntil !== null) continue
            held.set(token, row.run.cancelRequestedAt)
            yield* rows.put(row.run.id, { ...row, leaseUntil })
          }
          return held
        })
      ),
    claimedBy: (by) =>
      holdWhere(Number.POSITIVE_INFINITY, ({ claimToken }) => claimToken?.replaceAll("-", "").startsWith(by) === true),
    lapsed: ({ max }) =>
      holdWhere(max, (row, time) => row.claimToken !== null && row.leaseUntil <= DateTime.toEpochMillis(time)),
    expired: ({ max }) => holdWhere(max, ({ run }, time) => run.status === "queued" && isExpired(run, time)),
    overdue: ({ graceSeconds, max }) =>
      holdWhere(
        max,
        ({ run }, time) =>
          run.status === "running" &&
          run.cancelRequestedAt !== null &&
          DateTime.isLessThanOrEqualTo(DateTime.add(run.cancelRequestedAt, { seconds: graceSeconds }), time)
      ),
    // Here a claim itself compares `runAt` with the clock, so no run has to be woken.
    wakeScheduled: Effect.succeed(0)
  }
})
