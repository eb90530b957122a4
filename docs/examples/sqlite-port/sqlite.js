// Two ports of the kernel over node:sqlite, for a service that keeps its events in a file. A port is a layer of Effect.
import { DatabaseSync } from "node:sqlite"
import { EventLog, Transaction, UnitOfWork } from "@agent-platform/kernel"
import { Context, DateTime, Effect, Exit, Layer, Semaphore } from "effect"

/** The database, opened once and closed with the layer. */
class Sqlite extends Context.Service()("example/Sqlite") {}

const sqlite = (file) =>
  Layer.effect(
    Sqlite,
    Effect.acquireRelease(
      Effect.sync(() => {
        const writer = new DatabaseSync(file)
        writer.exec("pragma journal_mode = wal")
        writer.exec("create table if not exists event (id text primary key, json text not null)")
        // Nobody else sees what a transaction has not committed, so those outside of it read by another connection.
        return { writer, reader: new DatabaseSync(file, { readOnly: true }) }
      }),
      ({ reader, writer }) =>
        Effect.sync(() => {
          reader.close()
          writer.close()
        })
    )
  )

const unitOfWork = Layer.effect(
  UnitOfWork,
  Effect.map(Sqlite, ({ writer: db }) => {
    // One connection writes, and an effect that waits in its transaction lets others run: without this lock their writes would be
    // in it.
    const lock = Semaphore.makeUnsafe(1)
    let savepoints = 0
    const between = (effect, [begin, commit, rollback]) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.sync(() => db.exec(begin)).pipe(
          Effect.andThen(restore(Effect.provideService(effect, Transaction, { id: "sqlite" }))),
          Effect.onExit((exit) => Effect.sync(() => db.exec(Exit.isSuccess(exit) ? commit : rollback)))
        )
      )
    return UnitOfWork.of({
      atomic: (effect) =>
        Effect.flatMap(Effect.serviceOption(Transaction), (open) => {
          if (open._tag === "None") return lock.withPermit(between(effect, ["begin immediate", "commit", "rollback"]))
          const name = `s${++savepoints}`
          return between(effect, [`savepoint ${name}`, `release ${name}`, `rollback to ${name}; release ${name}`])
        })
    })
  })
)

const eventLog = Layer.effect(
  EventLog,
  Effect.map(Sqlite, ({ reader, writer }) => {
    const read = ({ json }) => {
      const event = JSON.parse(json)
      return { ...event, createdAt: DateTime.makeUnsafe(event.createdAt) }
    }
    return EventLog.of({
      append: (...events) =>
        Effect.sync(() => {
          const insert = writer.prepare("insert into event (id, json) values (?, ?)")
          for (const event of events) {
            insert.run(event.id, JSON.stringify({ ...event, createdAt: DateTime.formatIso(event.createdAt) }))
          }
        }),
      find: (ids) =>
        Effect.map(Effect.serviceOption(Transaction), (open) => {
          const select = (open._tag === "Some" ? writer : reader).prepare("select json from event where id = ?")
          return ids.flatMap((id) => select.all(id).map(read))
        }),
      // Nobody else writes until this transaction ends, so what it reads stays.
      hold: (id) => Effect.sync(() => writer.prepare("select json from event where id = ?").all(id).map(read)[0])
    })
  })
)

/** Both ports over a file. */
export const layer = (file) => Layer.provide(Layer.merge(unitOfWork, eventLog), sqlite(file))
