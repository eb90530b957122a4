import { DateTime, Effect, Layer } from "effect"
import type { EventId } from "../Ids.ts"
import { EVENTS_ADDED, OUTBOX_LEASE_SECONDS, Outbox, type TakenEvent } from "../ports/Outbox.ts"
import { Signals } from "../ports/Signals.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** An event that is to be dispatched, as memory keeps it. */
export interface OutboxRow {
  readonly id: EventId
  readonly attempt: number
  readonly takenBy: string | undefined
  readonly takenUntil: DateTime.Utc | undefined
}

/** The outbox over a `MemoryDatabase`, by Effect's clock. */
export const layerOutbox: Layer.Layer<Outbox, never, MemoryDatabase | Signals> = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const signals = yield* Signals
    const rows = database.table<OutboxRow>("outbox")
    let takes = 0

    const byId = Effect.map(rows.all, (all) => [...all].sort((one, other) => (one.id < other.id ? -1 : 1)))

    /** The rows of those events whose take is still the last: nobody has retaken, released or completed them. */
    const rowsStillTaken = (events: ReadonlyArray<TakenEvent>) =>
      Effect.map(
        Effect.forEach(events, ({ id, token }) =>
          Effect.map(rows.get(id), (row) => (row?.takenBy === token ? [row] : []))
        ),
        (found) => found.flat()
      )

    return Outbox.of({
      add: Effect.fnUntraced(function* (...ids) {
        if (ids.length === 0) return
        for (const id of ids) yield* rows.put(id, { id, attempt: 0, takenBy: undefined, takenUntil: undefined })
        yield* signals.raise(EVENTS_ADDED)
      }),
      take: Effect.fnUntraced(function* (max, leaseSeconds = OUTBOX_LEASE_SECONDS) {
        const now = yield* DateTime.now
        const takenUntil = DateTime.add(now, { seconds: leaseSeconds })
        const token = `take-${++takes}`
        const isFree = (row: OutboxRow) =>
          row.takenUntil === undefined || DateTime.isLessThanOrEqualTo(row.takenUntil, now)
        const first = (yield* byId).filter(isFree).slice(0, max)
        return yield* Effect.forEach(first, (row) => {
          const attempt = row.attempt + 1
          const taken = rows.put(row.id, { id: row.id, attempt, takenBy: token, takenUntil })
          return Effect.as(taken, { id: row.id, attempt, token })
        })
      }, database.atomic),
      complete: Effect.fnUntraced(function* (events) {
        const taken = yield* rowsStillTaken(events)
        for (const { id } of taken) yield* rows.remove(id)
        return new Set(taken.map(({ id }) => id))
      }),
      release: Effect.fnUntraced(function* (events) {
        for (const row of yield* rowsStillTaken(events)) {
          yield* rows.put(row.id, { ...row, takenBy: undefined, takenUntil: undefined })
        }
        yield* signals.raise(EVENTS_ADDED)
      }, database.atomic),
      oldest: Effect.map(byId, ([first]) => first?.id)
    })
  })
)
