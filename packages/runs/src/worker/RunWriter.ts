/** The one writer of a worker: log events and outcomes of all its runs, in batches, those of each run in order. */
import { restAmongPeers } from "@agent-platform/kernel"
import { Deferred, Effect, Exit, Queue, Scope } from "effect"
import type { ClaimedRun } from "../ports/RunQueue.ts"
import type { NewRunEvent } from "../RunEvent.ts"
import type { Settlement } from "../use-cases/settleRuns.ts"
import { makeWriteApart } from "./writeApart.ts"
import { type BatchPorts, type SavedState, type Unwritten, writeBatch } from "./writeBatch.ts"

/** The settlement of a run that leaves this worker. */
export interface Settling extends Pick<Settlement, "becomes" | "retryReason" | "mayHaveCheckpoint"> {
  /** The size of the outcome, in bytes of JSON. */
  readonly bytes: number
}

/** Writes for a run that this worker holds. */
export interface RunWrites {
  /** Adds an event of this many bytes to the run's log, soon. Waits while the run has too much that is unwritten. */
  readonly log: (event: NewRunEvent, bytes: number) => Effect.Effect<void>
  /**
   * Saves the run's checkpoint, whose state has so many bytes, together with its events so far. Returns once both are committed, or given
   * up: then, and where the claim is lost, it answers false.
   */
  readonly save: (checkpoint: SavedState, bytes: number) => Effect.Effect<boolean>
  /**
   * Writes the outcome of the run, after all of its events so far. Returns once that is committed, or given up, and whether
   * the claim was lost, in which case nothing is written.
   */
  readonly settle: (settling: Settling) => Effect.Effect<{ readonly lost: boolean }>
  /** Takes nothing any more, and lets nobody wait for what is unwritten, which may still be written or not. */
  readonly abandon: () => void
}

export interface RunWriter {
  /** `refused` is called where a write of the run cannot be stored and is dropped, so that the run cannot go on. */
  readonly open: (claimed: ClaimedRun, refused: () => void) => RunWrites
}

/** How long the first of a batch waits for others. */
const GATHER_MILLIS = 5

/** A run with this much unwritten output waits until it is written, so that its share of a batch stays small. */
const UNWRITTEN_EVENTS_MAX = 256
const UNWRITTEN_BYTES_MAX = 64 * 1024

/** Larger writes of a run go apart from the others: a large checkpoint, or a large result. */
const SHARED_BYTES_MAX = 128 * 1024

/** The unwritten output of one run. */
interface Writes {
  /** The part that is being gathered. */
  next: Unwritten | undefined
  /** The part that is being written. */
  now: Unwritten | undefined
}

/**
 * Starts a writer that works until the scope closes. It writes batch after batch and repeats none. Large and refused writes go
 * apart from the others, and only their own runs wait for them.
 */
export const makeRunWriter: Effect.Effect<RunWriter, never, BatchPorts | Scope.Scope> = Effect.gen(function* () {
  const scope = yield* Scope.Scope
  const rest = yield* restAmongPeers("writing runs")
  const bell = yield* Queue.sliding<void>(1)
  // A new one for each batch, because an old list would keep its items in memory.
  let waiting: Array<Writes> = []

  const queue = (writes: Writes) => {
    waiting.push(writes)
    Queue.offerUnsafe(bell, undefined)
  }

  const writeApart = makeWriteApart()
  const apart = (batch: ReadonlyArray<Unwritten>, cause?: Parameters<typeof writeApart>[1]) =>
    Effect.forkIn(writeApart(batch, cause), scope)

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        yield* Queue.take(bell)
        yield* Effect.sleep(GATHER_MILLIS)
        const batch = waiting.flatMap((writes) => {
          writes.now = writes.next
          writes.next = undefined
          return writes.now ?? []
        })
        waiting = []
        for (const one of batch) if (one.bytes > SHARED_BYTES_MAX) yield* apart([one])
        const shared = batch.filter(({ bytes }) => bytes <= SHARED_BYTES_MAX)
        if (shared.length === 0) return
        const [took, written] = yield* Effect.timed(Effect.exit(writeBatch(shared)))
        if (Exit.isFailure(written)) yield* apart(shared, written.cause)
        else for (const one of shared) one.done()
        yield* rest(took)
      })
    )
  )

  const open = (claimed: ClaimedRun, refused: () => void): RunWrites => {
    const writes: Writes = { next: undefined, now: undefined }
    let isAbandoned = false
    let toolCalls = 0

    const done = () => {
      if (writes.now !== undefined) Deferred.doneUnsafe(writes.now.written, Exit.void)
      writes.now = undefined
      if (writes.next !== undefined) queue(writes)
    }

    /** The part that is being gathered; begins one where there is none. */
    const next = (): Unwritten => {
      if (writes.next !== undefined) return writes.next
      writes.next = {
        claimed,
        events: [],
        bytes: 0,
        settling: undefined,
        toSave: undefined,
        isSaved: false,
        lost: false,
        written: Deferred.makeUnsafe(),
        refused,
        done
      }
      if (writes.now === undefined) queue(writes)
      return writes.next
    }

    /** Adds to the part that is being gathered, or returns `otherwise` where the run was abandoned. */
    const add = <A>(otherwise: A, adding: (mine: Unwritten) => Effect.Effect<A>): Effect.Effect<A> =>
      Effect.suspend(() => (isAbandoned ? Effect.succeed(otherwise) : adding(next())))

    return {
      log: (event, bytes) =>
        add(undefined, (mine) => {
          mine.events.push(event)
          if (event.type === "tool.started") toolCalls++
          mine.bytes += bytes
          const isMuch = mine.events.length >= UNWRITTEN_EVENTS_MAX || mine.bytes >= UNWRITTEN_BYTES_MAX
          return isMuch ? Deferred.await(mine.written) : Effect.void
        }),
      save: (checkpoint, bytes) =>
        add(false, (mine) => {
          mine.toSave = checkpoint
          mine.bytes += bytes
          return Effect.map(Deferred.await(mine.written), () => mine.isSaved)
        }),
      settle: ({ bytes, ...settling }) =>
        add({ lost: false }, (mine) => {
          mine.settling = { ...settling, toolCalls }
          mine.bytes += bytes
          return Effect.map(Deferred.await(mine.written), () => ({ lost: mine.lost }))
        }),
      abandon: () => {
        isAbandoned = true
        for (const mine of [writes.now, writes.next]) {
          if (mine !== undefined) Deferred.doneUnsafe(mine.written, Exit.void)
        }
      }
    }
  }
  return { open }
})
