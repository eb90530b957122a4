import {
  EVENTS_ADDED,
  type EventId,
  OUTBOX_LEASE_SECONDS,
  Outbox,
  Signals,
  type TakenEvent,
  Transaction
} from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { askAlone, posted } from "../pipelined.ts"
import { outboxStatements } from "./outboxStatements.ts"

const byId = (one: TakenEvent, other: TakenEvent) => (one.id < other.id ? -1 : 1)

/** The outbox in the table `event_outbox`. */
export const layer: Layer.Layer<Outbox, never, SqlClient.SqlClient | Signals> = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const statements = outboxStatements(sql)

    const transaction = <A, E>(effect: Effect.Effect<A, E, Transaction>) =>
      Effect.orDie(sql.withTransaction(Effect.provideService(effect, Transaction, { id: "outbox" })))

    return Outbox.of({
      add: (...ids) =>
        ids.length === 0
          ? Effect.void
          : Effect.andThen(Effect.orDie(posted(sql, statements.add(ids))), signals.raise(EVENTS_ADDED)),

      take: (max, leaseSeconds = OUTBOX_LEASE_SECONDS) =>
        Effect.map(Effect.orDie(askAlone(sql, statements.take(max, leaseSeconds))), (taken) => [...taken].sort(byId)),

      complete: Effect.fnUntraced(function* (events: ReadonlyArray<TakenEvent>) {
        if (events.length === 0) return new Set<EventId>()
        yield* posted(sql, statements.byIndex)
        return new Set((yield* statements.complete(events)).map(({ id }) => id))
      }, Effect.orDie),

      hold: Effect.fnUntraced(function* (ids: ReadonlyArray<EventId>) {
        if (ids.length === 0) return new Set<EventId>()
        yield* posted(sql, statements.byIndex)
        return new Set((yield* statements.hold(ids)).map(({ id }) => id))
      }, Effect.orDie),

      release: (events) =>
        events.length === 0
          ? Effect.void
          : posted(sql, statements.byIndex).pipe(
              Effect.andThen(posted(sql, statements.release(events))),
              Effect.andThen(signals.raise(EVENTS_ADDED)),
              transaction
            ),

      oldest: Effect.map(Effect.orDie(statements.oldest), ([row]) => row?.id)
    })
  })
)
