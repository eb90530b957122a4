import { atomic, Erasure, ErasureStore, isErasureFinished, JobQueue } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { eraseSubject } from "./jobs.ts"

const PAUSE_OF_AGE = 0.1
const PAUSE_SECONDS_MAX = 60

/** After how long an erasure of this age is looked at again: a part of its age, so that one that is stuck costs next to nothing. */
export const pauseSecondsOf = (ageSeconds: number, pauseSeconds: number): number =>
  Math.max(pauseSeconds, Math.min(ageSeconds * PAUSE_OF_AGE, PAUSE_SECONDS_MAX))

/** Whether the turn of this job is still to be had: a job whose process died may come again when another led the erasure on. */
export const isNextTurn = Effect.fnUntraced(function* (job: (typeof eraseSubject)["payload"]["Type"]) {
  const { erasure_id: id, organization_id: organizationId, turn } = job
  const erasure = yield* ErasureStore.use((store) => store.find(organizationId, id))
  return erasure !== undefined && erasure.turns === turn && !isErasureFinished(erasure)
})

/**
 * Ends a turn and enqueues the next one, behind the jobs that are there: at once where there is more to do, after a pause of at least
 * `pauseSeconds` where others hold what is left.
 */
export const endTurn = useCase("platform.endErasureTurn")(function* (
  job: (typeof eraseSubject)["payload"]["Type"],
  { isWaiting, pauseSeconds }: { readonly isWaiting: boolean; readonly pauseSeconds: number }
) {
  const { erasure_id: id, organization_id: organizationId, turn } = job
  const store = yield* ErasureStore
  const queue = yield* JobQueue
  const before = yield* store.findToChange(organizationId, id)
  if (before === undefined || isErasureFinished(before) || before.turns !== turn) return
  const after = Erasure.turned(before)
  yield* store.replace(after)
  const now = yield* DateTime.now
  const age = (DateTime.toEpochMillis(now) - DateTime.toEpochMillis(before.createdAt)) / 1_000
  const seconds = isWaiting ? pauseSecondsOf(age, pauseSeconds) : 0
  yield* queue.enqueue(eraseSubject, { ...job, turn: after.turns }, { runAt: DateTime.add(now, { seconds }) })
}, atomic)
