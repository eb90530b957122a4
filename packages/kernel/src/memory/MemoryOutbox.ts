import { Effect, Layer } from "effect"
import type { EventId } from "../Ids.ts"
import { EVENTS_ADDED, Outbox } from "../ports/Outbox.ts"
import { Signals } from "../ports/Signals.ts"
import { heldRow, removeHeld } from "./heldRows.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

interface OutboxRow {
  readonly id: EventId
  readonly attempt: number
  readonly taken: boolean
}

/** The outbox over a `MemoryDatabase`. Its holders share its process, so none is ever lost alone. */
export const layerOutbox: Layer.Layer<Outbox, never, MemoryDatabase | Signals> = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const signals = yield* Signals
    const rows = database.table<OutboxRow>("outbox")

    const byId = Effect.map(rows.all, (all) => [...all].sort((one, other) => (one.id < other.id ? -1 : 1)))

    return Outbox.of({
      add: (...ids) =>
        Effect.gen(function* () {
          if (ids.length === 0) return
          for (const id of ids) yield* rows.put(id, { id, attempt: 0, taken: false })
          yield* signals.raise(EVENTS_ADDED)
        }),
      take: (max) =>
        database.atomic(
          Effect.gen(function* () {
            const first = (yield* byId).filter(({ taken }) => !taken).slice(0, max)
            return yield* Effect.forEach(first, (row) => {
              const attempt = row.attempt + 1
              return Effect.as(rows.put(row.id, { ...row, taken: true, attempt }), { id: row.id, attempt })
            })
          })
        ),
      complete: (events) => removeHeld(rows, events),
      release: (events) =>
        database.atomic(
          Effect.gen(function* () {
            for (const event of events) {
              const row = yield* heldRow(rows, event)
              if (row !== undefined) yield* rows.put(row.id, { ...row, taken: false })
            }
            yield* signals.raise(EVENTS_ADDED)
          })
        ),
      oldest: Effect.map(byId, ([first]) => first?.id)
    })
  })
)
