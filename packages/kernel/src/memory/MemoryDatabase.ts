/** A transactional store in memory: the real thing for tests, prototypes and embedders without a database. */
import { Context, Effect, Exit, Layer, Semaphore } from "effect"
import { Transaction, UnitOfWork } from "../ports/UnitOfWork.ts"

type Rows = ReadonlyMap<string, unknown>
type State = ReadonlyMap<string, Rows>

interface OpenTransaction {
  state: State
  readonly afterCommit: Array<Effect.Effect<void>>
}

const CurrentTransaction = Context.Reference<OpenTransaction | undefined>(
  "@agent-platform/kernel/MemoryDatabase/CurrentTransaction",
  { defaultValue: () => undefined }
)

/** One table of immutable rows. Inside a transaction it shows that transaction's own writes, else what is committed. */
export interface MemoryTable<Row> {
  readonly get: (key: string) => Effect.Effect<Row | undefined>
  /** Every row, in the order in which their keys were first put. */
  readonly all: Effect.Effect<ReadonlyArray<Row>>
  readonly put: (key: string, row: Row) => Effect.Effect<void, never, Transaction>
  readonly remove: (key: string) => Effect.Effect<void, never, Transaction>
}

/**
 * Tables under one lock. A transaction works on its own version of the tables, which replaces the committed one
 * when it succeeds and is dropped otherwise; transactions run one after another.
 */
export class MemoryDatabase extends Context.Service<
  MemoryDatabase,
  {
    readonly table: <Row>(name: string) => MemoryTable<Row>
    readonly atomic: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, Transaction>>
    /** Runs `effect` when the outermost open transaction has committed, or at once outside of one. */
    readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("@agent-platform/kernel/MemoryDatabase") {
  static readonly layer: Layer.Layer<MemoryDatabase> = Layer.effect(
    MemoryDatabase,
    Effect.sync(() => {
      const lock = Semaphore.makeUnsafe(1)
      let committed: State = new Map()

      const rowsOf = (state: State, name: string): Rows => state.get(name) ?? new Map()

      const write = (name: string, change: (rows: Map<string, unknown>) => void) =>
        Effect.flatMap(CurrentTransaction, (open) =>
          Effect.sync(() => {
            if (open === undefined) throw new Error("A write to memory needs an open transaction of this database")
            const rows = new Map(rowsOf(open.state, name))
            change(rows)
            open.state = new Map(open.state).set(name, rows)
          })
        )

      const table = <Row>(name: string): MemoryTable<Row> => {
        const rows = Effect.map(CurrentTransaction, (open) => rowsOf(open?.state ?? committed, name))
        return {
          get: (key) => Effect.map(rows, (found) => found.get(key) as Row | undefined),
          all: Effect.map(rows, (found) => [...found.values()] as Array<Row>),
          put: (key, row) => write(name, (found) => found.set(key, row)),
          remove: (key) => write(name, (found) => found.delete(key))
        }
      }

      const run = <A, E, R>(
        effect: Effect.Effect<A, E, R>,
        state: State,
        commit: (open: OpenTransaction) => Effect.Effect<void>
      ) => {
        const open: OpenTransaction = { state, afterCommit: [] }
        return effect.pipe(
          Effect.provideService(CurrentTransaction, open),
          Effect.provideService(Transaction, { id: "memory" }),
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? commit(open) : Effect.void))
        )
      }

      const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Transaction>> =>
        Effect.flatMap(CurrentTransaction, (outer) => {
          if (outer !== undefined) {
            return run(effect, outer.state, (inner) =>
              Effect.sync(() => {
                outer.state = inner.state
                outer.afterCommit.push(...inner.afterCommit)
              })
            )
          }
          return lock.withPermits(1)(
            Effect.suspend(() =>
              run(effect, committed, (open) => {
                committed = open.state
                return Effect.forEach(open.afterCommit, (callback) => callback, { discard: true })
              })
            )
          )
        })

      const afterCommit = (effect: Effect.Effect<void>) =>
        Effect.flatMap(CurrentTransaction, (open) =>
          open === undefined ? effect : Effect.sync(() => void open.afterCommit.push(effect))
        )

      return MemoryDatabase.of({ table, atomic, afterCommit })
    })
  )
}

/** The layer of a port that needs nothing but the tables. Curried, so that the port says what types its methods take. */
export const layerMemory =
  <Port, Service>(port: Context.Key<Port, Service>) =>
  (make: (database: MemoryDatabase["Service"]) => Service): Layer.Layer<Port, never, MemoryDatabase> =>
    Layer.effect(port, Effect.map(MemoryDatabase, make))

/** The unit of work over a `MemoryDatabase`. */
export const layerUnitOfWork: Layer.Layer<UnitOfWork, never, MemoryDatabase> = Layer.effect(
  UnitOfWork,
  Effect.map(MemoryDatabase, ({ atomic }) => UnitOfWork.of({ atomic }))
)
