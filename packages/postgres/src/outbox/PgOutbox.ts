import { EVENTS_ADDED, type EventId, Outbox, Signals, type TakenEvent, Transaction } from "@agent-platform/kernel"
import { Clock, Effect, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { posted } from "../pipelined.ts"
import { LOST_AFTER_SECONDS, outboxStatements } from "./outboxStatements.ts"

/** How often a holder shows that it lives, and looks for lost ones: after 12 s at most another has what was theirs. */
export const LOOK_SECONDS = 2

/** Closing waits no longer for being forgotten; one that is not is found lost. */
const CLOSE_SECONDS = 1

const idsOf = (events: ReadonlyArray<{ readonly id: EventId }>) => events.map(({ id }) => id)

const byId = (one: TakenEvent, other: TakenEvent) => (one.id < other.id ? -1 : 1)

/**
 * The outbox in the tables `event_outbox` and `outbox_holder`. Whoever takes is a holder: it shows life for all that it holds
 * by one row, and what lost ones held is free again within `LOST_AFTER_SECONDS + LOOK_SECONDS`. Who only adds does neither.
 */
export const layer: Layer.Layer<Outbox, never, SqlClient.SqlClient | Signals> = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const clock = yield* Clock.Clock
    const statements = outboxStatements(sql)
    const held = new Map<EventId, TakenEvent>()
    // What is taken is not known before the answer is here, and must not be given back as unknown meanwhile.
    const taking = Semaphore.makeUnsafe(1)
    let holder: string | undefined
    /** Whether the last take got less than it asked for: whatever is planned for a short outbox is done at once. */
    let isShort = false
    let doubtfulUntil = Number.NEGATIVE_INFINITY

    const inTransaction = <A, E>(effect: Effect.Effect<A, E, Transaction>) =>
      Effect.orDie(sql.withTransaction(Effect.provideService(effect, Transaction, { id: "outbox" })))

    /** An answer that did not come leaves events that are ours by the database, of which we do not know. */
    const doubting = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.onError(effect, () =>
        Effect.sync(() => {
          doubtfulUntil = clock.currentTimeMillisUnsafe() + LOST_AFTER_SECONDS * 1_000
        })
      )

    const register = Effect.gen(function* () {
      const [row] = yield* statements.register
      holder = row?.id
      return row?.id ?? ""
    })

    const taken = (me: string, max: number) => {
      const take = statements.take(me, max)
      // Asked for at once, in this order, so that they go out together.
      return isShort
        ? take
        : Effect.map(inTransaction(Effect.all([statements.byIndex, take], { concurrency: 2 })), ([, events]) => events)
    }

    /** What is held and still the attempt that the holder thinks it is. */
    const ours = (events: ReadonlyArray<TakenEvent>) =>
      events.filter(({ attempt, id }) => held.get(id)?.attempt === attempt)

    const forget = (events: ReadonlyArray<TakenEvent>) => {
      for (const { id } of ours(events)) held.delete(id)
    }

    const showLife = Effect.gen(function* () {
      if (holder === undefined) return
      const [alive] = yield* statements.showLife(holder)
      if (alive !== undefined) return
      yield* Effect.logWarning("This process was silent for too long: the events that it held may be others' by now")
      held.clear()
      holder = undefined
    })

    const giveBackUnknown = Effect.gen(function* () {
      if (holder === undefined || clock.currentTimeMillisUnsafe() > doubtfulUntil) return
      const found = yield* statements.releaseOthers(holder, [...held.keys()])
      if (found.length > 0) yield* signals.raise(EVENTS_ADDED)
    })

    const freeLost = Effect.gen(function* () {
      const lost = (yield* statements.lost).map(({ id }) => id)
      if (lost.length === 0) return
      const found = yield* statements.releaseOf(lost)
      yield* statements.forget(lost)
      if (found.length > 0) yield* signals.raise(EVENTS_ADDED)
    })

    const look = Effect.gen(function* () {
      if (holder === undefined) return
      yield* taking.withPermits(1)(Effect.andThen(showLife, inTransaction(giveBackUnknown)))
      yield* inTransaction(freeLost)
    })

    // Who holds nothing need not be found lost.
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => statements.forget(holder === undefined ? [] : [holder])).pipe(
        Effect.timeoutOption(`${CLOSE_SECONDS} seconds`),
        Effect.ignoreCause
      )
    )
    yield* look.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Events could not be kept, or lost ones looked for", cause)),
      Effect.andThen(Effect.sleep(`${LOOK_SECONDS} seconds`)),
      Effect.forever,
      Effect.forkScoped
    )

    return Outbox.of({
      add: (...ids) =>
        ids.length === 0
          ? Effect.void
          : Effect.andThen(Effect.orDie(posted(sql, statements.add(ids))), signals.raise(EVENTS_ADDED)),

      take: Effect.fnUntraced(
        function* (max: number) {
          const events = yield* doubting(taken(holder ?? (yield* register), max))
          isShort = events.length < max
          const sorted = events.map(({ attempt, id }): TakenEvent => ({ id, attempt })).sort(byId)
          for (const event of sorted) held.set(event.id, event)
          return sorted
        },
        taking.withPermits(1),
        Effect.orDie,
        Effect.uninterruptible
      ),

      complete: Effect.fnUntraced(function* (events: ReadonlyArray<TakenEvent>) {
        const mine = ours(events)
        if (holder === undefined || mine.length === 0) return new Set<EventId>()
        yield* posted(sql, statements.byIndex)
        const completed = new Set(idsOf(yield* statements.complete(holder, idsOf(mine))))
        yield* sql.afterCommit(Effect.sync(() => forget(mine)))
        return completed
      }, Effect.orDie),

      release: (events) =>
        Effect.suspend(() => {
          const mine = ours(events)
          if (holder === undefined || mine.length === 0) return Effect.void
          forget(mine)
          return doubting(
            inTransaction(Effect.andThen(statements.release(holder, idsOf(mine)), signals.raise(EVENTS_ADDED)))
          )
        }),

      oldest: Effect.map(Effect.orDie(statements.oldest), ([row]) => row?.id)
    })
  })
)
