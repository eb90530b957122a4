import { atomic, Erasure, ErasureStore, isErasureFinished, JobQueue } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { eraseSubject } from "./jobs.ts"

const PAUSE_SHARE_OF_AGE = 0.1
const PAUSE_SECONDS_MAX = 60

/** The pause before the next turn of an erasure of this age: a share of its age, so that an erasure that is stuck costs little. */
export const pauseSecondsOf = (ageSeconds: number, pauseSeconds: number): number =>
  Math.max(pauseSeconds, Math.min(ageSeconds * PAUSE_SHARE_OF_AGE, PAUSE_SECONDS_MAX))

/** Whether the job is for the erasure's next turn. A job whose process died may come again after another job has done that turn. */
export const isNextTurn = Effect.fnUntraced(function* (job: (typeof eraseSubject)["payload"]["Type"]) {
  const { erasure_id: id, organization_id: organizationId, turn } = job
  const erasure = yield* ErasureStore.use((store) => store.find(organizationId, id))
  return erasure !== undefined && erasure.turns === turn && !isErasureFinished(erasure)
})

/**
 * Ends a turn and enqueues the next one, behind the jobs that wait already. It is due at once, or after a pause of at least `pauseSeconds`
 * if others hold what is left (`isWaiting`).
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
