import { EVENTS_ADDED, type EventId, Outbox, Signals, type TakenEvent, Transaction } from "@agent-platform/kernel"
import { Clock, Effect, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { posted } from "../pipelined.ts"
import { makeVigil } from "./makeVigil.ts"
import { LOST_AFTER_SECONDS, outboxStatements } from "./outboxStatements.ts"

/** How often a holder shows that it lives, and looks for lost ones: after 12 s at most another has what was theirs. */
export const LOOK_SECONDS = 2

/**
 * Who has shown life for so long without a gap finds others lost. After the database was away all have been silent, and each
 * of them has its turn to say that it lives before anybody judges.
 */
export const JUDGES_AFTER_SECONDS = 2 * LOOK_SECONDS

/** A sign of life that takes longer is given up, and tried again. */
const SHOWING_SECONDS_MAX = 2

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
    const changing = Semaphore.makeUnsafe(1)
    let holder: string | undefined
    /** Whether the last take got less than it asked for: whatever is planned for a short outbox is done at once. */
    let isShort = false
    /** Since when there may be events that are ours by the database and of which we do not know. */
    let doubtfulSince: number | undefined
    const seconds = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e9
    /** When life was shown last, by the database's clock. */
    let seenAt = new Date(0)
    const vigil = makeVigil(seconds, JUDGES_AFTER_SECONDS)

    const transaction = <A, E>(effect: Effect.Effect<A, E, Transaction>) =>
      sql.withTransaction(Effect.provideService(effect, Transaction, { id: "outbox" }))

    /** The same, which ends when this process freezes inside of it. */
    const inTransaction = <A, E>(effect: Effect.Effect<A, E, Transaction>) =>
      Effect.orDie(transaction(Effect.andThen(posted(sql, statements.bounded), effect)))

    const doubt = () => {
      doubtfulSince = seconds()
    }

    /** Where no answer comes, what it would have said may be so all the same. */
    const doubting = <A, E>(effect: Effect.Effect<A, E>) => Effect.onError(effect, () => Effect.sync(doubt))

    const isSeen = (at: Date) => {
      seenAt = at
      vigil.shown()
    }

    const register = Effect.gen(function* () {
      const [row] = yield* statements.register
      if (row === undefined) return yield* Effect.die(new Error("A holder that was put in is answered"))
      holder = row.id
      isShort = false
      isSeen(row.seenAt)
      return row.id
    })

    const taken = (me: string, max: number) => {
      const take = statements.take(me, max)
      // Asked for at once, in this order, so that they go out together.
      return isShort
        ? take
        : Effect.map(transaction(Effect.all([statements.byIndex, take], { concurrency: 2 })), ([, events]) => events)
    }

    /** What is held and still the attempt that the holder thinks it is. */
    const ours = (events: ReadonlyArray<TakenEvent>) =>
      events.filter(({ attempt, id }) => held.get(id)?.attempt === attempt)

    const forget = (events: ReadonlyArray<TakenEvent>) => {
      for (const { id } of ours(events)) held.delete(id)
    }

    const showLife = Effect.fnUntraced(function* (me: string) {
      const [row] = yield* Effect.timeout(statements.showLife(me), `${SHOWING_SECONDS_MAX} seconds`)
      if (row !== undefined) return isSeen(row.seenAt)
      yield* Effect.logWarning("This process was silent for too long: what it held may be others' by now")
      yield* changing.withPermits(1)(
        Effect.sync(() => {
          if (holder !== me) return
          held.clear()
          holder = undefined
        })
      )
    })

    const tellOf = (freed: ReadonlyArray<unknown>) => (freed.length === 0 ? Effect.void : signals.raise(EVENTS_ADDED))

    /** Once it has succeeded late enough, whatever a lost answer was about has happened by then or never will. */
    const giveBackUnknown = Effect.gen(function* () {
      const [me, since, begun] = [holder, doubtfulSince, seconds()]
      if (me === undefined || since === undefined) return
      yield* inTransaction(Effect.flatMap(statements.releaseOthers(me, [...held.keys()]), tellOf))
      if (begun - since >= LOST_AFTER_SECONDS && doubtfulSince === since) doubtfulSince = undefined
    })

    const freeLost = Effect.gen(function* () {
      if (!vigil.isKept()) return
      const lost = (yield* statements.lost(seenAt, JUDGES_AFTER_SECONDS)).map(({ id }) => id)
      if (lost.length === 0) return
      yield* inTransaction(Effect.flatMap(statements.releaseOf(lost), tellOf))
      yield* forgetHolders(lost)
    })

    const forgetHolders = (ids: ReadonlyArray<string>) =>
      inTransaction(Effect.flatMap(statements.lockIdle(ids), (idle) => statements.forget(idle.map(({ id }) => id))))

    const whileHolder = <E>(act: string, step: (me: string) => Effect.Effect<void, E>) =>
      Effect.suspend(() => (holder === undefined ? Effect.void : step(holder))).pipe(
        Effect.catchCause((cause) => Effect.logWarning(`${act} failed`, cause)),
        Effect.andThen(Effect.sleep(`${LOOK_SECONDS} seconds`)),
        Effect.forever,
        Effect.forkScoped
      )

    // Who holds nothing need not be found lost.
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => (holder === undefined ? Effect.void : forgetHolders([holder]))).pipe(
        Effect.timeoutOption(`${CLOSE_SECONDS} seconds`),
        Effect.ignoreCause
      )
    )
    // Each by itself, so that what one of them waits for keeps none of the others.
    yield* whileHolder("Showing that events are held", showLife)
    yield* whileHolder("Looking for events whose holder is gone", () => freeLost)
    yield* whileHolder("Giving back events that nobody knows of", () =>
      doubtfulSince === undefined ? Effect.void : changing.withPermits(1)(giveBackUnknown)
    )

    return Outbox.of({
      add: (...ids) =>
        ids.length === 0
          ? Effect.void
          : Effect.andThen(Effect.orDie(posted(sql, statements.add(ids))), signals.raise(EVENTS_ADDED)),

      take: Effect.fnUntraced(
        function* (max: number) {
          const found = yield* doubting(taken(holder ?? (yield* register), max))
          isShort = found.length < max
          // After a crash of the database what is in hand may be there as if it had never been taken.
          const events = found.filter(({ id }) => !held.has(id)).map(({ attempt, id }): TakenEvent => ({ id, attempt }))
          for (const event of events) held.set(event.id, event)
          return events.sort(byId)
        },
        changing.withPermits(1),
        Effect.orDie,
        Effect.uninterruptible
      ),

      complete: Effect.fnUntraced(function* (events: ReadonlyArray<TakenEvent>) {
        const [me, mine] = [holder, ours(events)]
        if (me === undefined || mine.length === 0) return new Set<EventId>()
        yield* posted(sql, statements.byIndex)
        const completed = new Set(idsOf(yield* statements.complete(me, idsOf(mine))))
        yield* sql.afterCommit(
          Effect.sync(() => {
            forget(mine)
            // A take that a crash undid, and that came again while this was written, is ours and in nobody's hands.
            if (completed.size < mine.length) doubt()
          })
        )
        return completed
      }, Effect.orDie),

      release: (events) =>
        changing.withPermits(1)(
          Effect.suspend(() => {
            const mine = ours(events)
            if (holder === undefined || mine.length === 0) return Effect.void
            forget(mine)
            return doubting(
              inTransaction(Effect.andThen(statements.release(holder, idsOf(mine)), signals.raise(EVENTS_ADDED)))
            )
          })
        ),

      oldest: Effect.map(Effect.orDie(statements.oldest), ([row]) => row?.id)
    })
  })
)
