/** Units of work that are broken on purpose: a suite that cannot fail proves nothing. */
import { type EventId, EventLog, type EventRecord, Transaction, UnitOfWork } from "@agent-platform/kernel"
import { layer, MemoryDatabase } from "@agent-platform/kernel/memory"
import { unitOfWorkContract } from "@agent-platform/kernel/testing"
import { Context, Effect, Layer } from "effect"
import { bite } from "./bite.ts"

const brokenBy = (atomicOf: (database: MemoryDatabase["Service"]) => UnitOfWork["Service"]["atomic"]) =>
  Layer.provideMerge(
    Layer.effect(
      UnitOfWork,
      MemoryDatabase.use((database) => Effect.succeed(UnitOfWork.of({ atomic: atomicOf(database) })))
    ),
    layer
  )

bite(
  "a unit of work that commits what failed",
  () =>
    unitOfWorkContract(
      "a unit that commits failures",
      brokenBy((database) => (effect) => Effect.flatten(database.atomic(Effect.exit(effect))))
    ),
  [
    "keeps nothing of an effect that fails",
    "keeps nothing of an effect that dies",
    "undoes only the inner writes when the outer effect catches an inner failure",
    "undoes inner writes that succeeded when the outer effect fails",
    "keeps nothing of an effect that waits between its writes and then fails, and all that others write meanwhile",
    "runs twenty transactions at once without mixing their writes"
  ]
)

/** As a driver does whose transactions are functions that must answer at once. */
const runsToTheEnd = brokenBy(
  (database) => (effect) =>
    database.atomic(
      Effect.contextWith((context) => Effect.runSyncExitWith(context as Context.Context<never>)(effect as never))
    )
)

bite("a unit of work that cannot wait", () => unitOfWorkContract("a unit that cannot wait", runsToTheEnd), [
  "keeps every write of an effect that waits between them"
])

/** As a process does that has one connection, and takes for nested what begins while a transaction is open. */
const sharesItsTransaction = brokenBy((database) => {
  let open: Context.Context<never> | undefined
  return (effect) => {
    const nested = open
    if (nested !== undefined) {
      return Effect.updateContext(database.atomic(effect), (own) => Context.merge(own, nested) as typeof own) as never
    }
    return database.atomic(
      Effect.contextWith((context: Context.Context<never>) => {
        open = context
        return Effect.ensuring(
          effect,
          Effect.sync(() => {
            open = undefined
          })
        )
      })
    ) as never
  }
})

bite(
  "a unit of work that has one transaction for all",
  () => unitOfWorkContract("a unit with one transaction", sharesItsTransaction),
  [
    "keeps nothing of an effect that waits between its writes and then fails, and all that others write meanwhile",
    "runs twenty transactions at once without mixing their writes"
  ]
)

/** As a store does whose every statement is done at once, and which therefore keeps no lock: what fails is put back as it was. */
const hasNoLock = Layer.effectContext(
  Effect.sync(() => {
    let rows: ReadonlyMap<EventId, EventRecord> = new Map()
    const log = EventLog.of({
      append: (...events) =>
        Effect.sync(() => {
          rows = new Map([...rows, ...events.map((event) => [event.id, event] as const)])
        }),
      find: (ids) => Effect.sync(() => ids.flatMap((id) => rows.get(id) ?? [])),
      hold: (id) => Effect.sync(() => rows.get(id))
    })
    const unit = UnitOfWork.of({
      atomic: (effect) =>
        Effect.suspend(() => {
          const before = rows
          return Effect.onError(Effect.provideService(effect, Transaction, { id: "none" }), () =>
            Effect.sync(() => {
              rows = before
            })
          )
        }) as never
    })
    return Context.make(EventLog, log).pipe(Context.add(UnitOfWork, unit))
  })
)

bite("a unit of work without a lock", () => unitOfWorkContract("a unit without a lock", hasNoLock), [
  "shows a transaction its own writes and nobody else before it commits",
  "keeps nothing of an effect that waits between its writes and then fails, and all that others write meanwhile",
  "runs twenty transactions at once without mixing their writes"
])
