/** The one writer of a worker: log events and outcomes of all its runs, in order, in batches. */
import { Signals, type Transaction, UnitOfWork } from "@agent-platform/kernel"
import { Deferred, Effect, Exit, Queue, type Schema, type Scope } from "effect"
import { CheckpointStore } from "./ports/CheckpointStore.ts"
import { RunLog } from "./ports/RunLog.ts"
import { type ClaimedRun, RunStore } from "./ports/RunStore.ts"
import { RunId } from "./Run.ts"
import type { NewRunEvent } from "./RunEvent.ts"
import { runChanged } from "./signals.ts"
import { type Settlement, settleRuns } from "./use-cases/settleRuns.ts"

/** Writes for runs that this worker holds. */
export interface RunWriter {
  /** Adds an event to the run's log, soon. Waits while the run has too many that are unwritten. */
  readonly log: (claimed: ClaimedRun, event: NewRunEvent) => Effect.Effect<void>
  /**
   * Saves the run's checkpoint together with its events so far. Returns once both are committed, or given up: then, and
   * where the claim is lost, it answers false.
   */
  readonly save: (claimed: ClaimedRun, state: Schema.Json) => Effect.Effect<boolean>
  /**
   * Writes what becomes of the run, after all of its events so far. Returns once that is committed, or given up because a
   * store that answers refused it for half a minute; answers whether the claim was lost, under which nothing is written.
   * `checkpointed`: whether it may have a checkpoint.
   */
  readonly settle: (
    claimed: ClaimedRun,
    becomes: Settlement["becomes"],
    checkpointed: boolean
  ) => Effect.Effect<{ readonly lost: boolean }>
}

/** How long the first of a batch waits for others. */
const GATHER_MILLIS = 5

/** A run with this many unwritten events waits until they are written. */
const UNWRITTEN_EVENTS_MAX = 256

/** What a store that answers refuses is tried again once a second, this often. Its claim is renewed meanwhile. */
const TRIES_MAX = 30

/** An id that no run has. */
const NO_RUN = RunId.make("00000000-0000-0000-0000-000000000000")

interface Unwritten {
  readonly claimed: ClaimedRun
  readonly events: Array<NewRunEvent>
  becomes: Settlement["becomes"] | undefined
  checkpointed: boolean
  /** What is to be saved; undefined for nothing. */
  state: Schema.Json | undefined
  saved: boolean
  lost: boolean
  readonly written: Deferred.Deferred<void>
}

type Ports =
  | UnitOfWork
  | CheckpointStore
  | RunLog
  | Signals
  | Exclude<Effect.Services<ReturnType<typeof settleRuns>>, Transaction>

/** Writes a batch, inside of its transaction. */
const writeAll = Effect.fnUntraced(function* (batch: ReadonlyArray<Unwritten>) {
  const log = yield* RunLog
  const runs = yield* RunStore
  const checkpoints = yield* CheckpointStore
  const signals = yield* Signals
  const going = batch.filter((one) => one.becomes === undefined)
  const ended = batch.flatMap(
    ({ becomes, checkpointed, claimed, events }): ReadonlyArray<Settlement> =>
      becomes === undefined ? [] : [{ ...claimed, becomes, events, reason: "worker_stopping", checkpointed }]
  )
  if (going.length > 0) {
    yield* log.append(
      going.map(({ claimed, events }) => ({ runId: claimed.run.id, claimToken: claimed.claimToken, events }))
    )
  }
  // Those that end too: one that is handed back goes on from there. Their sessions first, as whoever cancels them takes
  // the two: a save locks the row of the run, and the other way round they would wait for each other.
  if (batch.some(({ becomes, state }) => becomes !== undefined && state !== undefined)) {
    yield* runs.hold(ended.map(({ claimToken, run }) => ({ runId: run.id, claimToken })))
  }
  for (const one of batch) {
    if (one.state !== undefined) one.saved = yield* checkpoints.save({ ...one.claimed, state: one.state })
  }
  for (const { claimed } of going) yield* signals.raise(runChanged(claimed.run.id))
  if (ended.length > 0) {
    const settled = new Set((yield* settleRuns(ended)).map(({ id }) => id))
    for (const one of batch) one.lost = one.becomes !== undefined && !settled.has(one.claimed.run.id)
  }
})

const write = (batch: ReadonlyArray<Unwritten>) => UnitOfWork.use((unit) => unit.atomic(writeAll(batch)))

/** Whether the store answers at all: what it refuses while it does is refused for its own sake. */
const storeAnswers = Effect.gen(function* () {
  const log = yield* RunLog
  const probe = yield* Effect.exit(log.read(NO_RUN, { after: 0, limit: 1 }))
  return Exit.isSuccess(probe)
})

/**
 * A batch that is refused is written one by one, so that what one of them cannot store does not cost the others. While the
 * store is away, nothing is given up.
 */
const persist = (batch: ReadonlyArray<Unwritten>, tries: number): Effect.Effect<void, never, Ports> =>
  Effect.catchCause(write(batch), (cause) =>
    Effect.gen(function* () {
      const names = batch.map(({ claimed }) => claimed.run.id).join(", ")
      if (!(yield* storeAnswers)) {
        yield* Effect.logWarning(`What runs ${names} did is stored when the store is back`, cause)
        yield* Effect.sleep("1 second")
        return yield* persist(batch, tries)
      }
      if (batch.length > 1) {
        return yield* Effect.forEach(batch, (one) => persist([one], tries), { concurrency: 4, discard: true })
      }
      if (tries >= TRIES_MAX) {
        return yield* Effect.logError(`What run ${names} did could not be stored, it is given up`, cause)
      }
      yield* Effect.logWarning(`What run ${names} did could not be stored yet`, cause)
      yield* Effect.sleep("1 second")
      return yield* persist(batch, tries + 1)
    })
  )

/** Starts a writer that works until the scope closes. */
export const makeRunWriter: Effect.Effect<RunWriter, never, Ports | Scope.Scope> = Effect.gen(function* () {
  // A new one for each batch: a map that is emptied refers on to what is put into it afterwards, and one that has become old
  // would keep all of that.
  let unwritten = new Map<string, Unwritten>()
  const bell = yield* Queue.sliding<void>(1)

  const unwrittenOf = (claimed: ClaimedRun): Unwritten => {
    const found = unwritten.get(claimed.claimToken)
    if (found !== undefined) return found
    const fresh: Unwritten = {
      claimed,
      events: [],
      becomes: undefined,
      checkpointed: true,
      state: undefined,
      saved: false,
      lost: false,
      written: Deferred.makeUnsafe()
    }
    unwritten.set(claimed.claimToken, fresh)
    Queue.offerUnsafe(bell, undefined)
    return fresh
  }

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        yield* Queue.take(bell)
        yield* Effect.sleep(GATHER_MILLIS)
        const batch = [...unwritten.values()]
        unwritten = new Map()
        yield* persist(batch, 0)
        for (const one of batch) yield* Deferred.succeed(one.written, undefined)
      })
    )
  )

  return {
    log: (claimed, event) =>
      Effect.suspend(() => {
        const mine = unwrittenOf(claimed)
        mine.events.push(event)
        return mine.events.length < UNWRITTEN_EVENTS_MAX ? Effect.void : Deferred.await(mine.written)
      }),
    save: (claimed, state) =>
      Effect.suspend(() => {
        const mine = unwrittenOf(claimed)
        mine.state = state
        return Effect.map(Deferred.await(mine.written), () => mine.saved)
      }),
    settle: (claimed, becomes, checkpointed) =>
      Effect.suspend(() => {
        const mine = unwrittenOf(claimed)
        mine.becomes = becomes
        mine.checkpointed = checkpointed
        return Effect.map(Deferred.await(mine.written), () => ({ lost: mine.lost }))
      })
  }
})
