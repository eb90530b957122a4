import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Agent } from "../Agent.ts"
import { type ClaimedRun, RunQueue } from "../ports/RunQueue.ts"
import { Run } from "../Run.ts"
import { runStarted } from "../RunEvent.ts"
import { pickDue } from "./pickDue.ts"
import { appendTo, heldOf, isExpired, type RunRow, runRows } from "./runRows.ts"

const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const random = yield* SecureRandom.SecureRandom
  const rows = yield* runRows
  const append = yield* appendTo
  const agents = database.table<Agent>("agent")

  const millis = Effect.map(DateTime.now, DateTime.toEpochMillis)
  const byToken = (token: string) => Effect.map(rows.all, (all) => all.find((row) => row.claimToken === token))
  /** The runs of which this is true, held: transactions in memory run one after another, which is hold enough. */
  const those = (max: number, isMeantNow: (row: RunRow, now: DateTime.Utc) => boolean) =>
    Effect.gen(function* () {
      const time = yield* DateTime.now
      return (yield* rows.all)
        .filter((row) => isMeantNow(row, time))
        .slice(0, max)
        .map(heldOf)
    })

  return RunQueue.of({
    claim: (request) =>
      Effect.gen(function* () {
        const time = yield* DateTime.now
        const { last, picked } = pickDue(yield* rows.all, request, time)
        const leaseUntil = DateTime.toEpochMillis(time) + request.leaseSeconds * 1000
        const claimed: Array<ClaimedRun> = []
        for (const row of picked) {
          const agent = yield* agents.get(row.run.agentId)
          if (agent === undefined) continue
          const run = Run.begun(row.run, time)
          const claimToken = yield* random.uuidV4()
          const events = request.loggedAt === undefined ? [] : [runStarted(run, request.loggedAt)]
          yield* rows.put(run.id, { ...(yield* append(row, events)), run, claimToken, leaseUntil })
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
    wakeScheduled: Effect.succeed(0)
  })
})

/** The queue of runs over a `MemoryDatabase`: one row a run, fenced by its claim. */
export const layerRunQueue: Layer.Layer<RunQueue, never, MemoryDatabase | SecureRandom.SecureRandom> = Layer.effect(
  RunQueue,
  make
)
