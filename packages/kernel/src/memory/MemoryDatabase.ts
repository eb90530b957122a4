/** A transactional store in memory: the real thing for tests, prototypes and embedders without a database. */
import { Context, Effect, Exit, Layer, Semaphore } from "effect"
import { Transaction, UnitOfWork } from "../ports/UnitOfWork.ts"

type Rows = Map<string, unknown>

/** The change of a row: another in its place, none, or one that comes anew, behind all others, after it was removed. */
type Change = { readonly kind: "put" | "anew"; readonly row: unknown } | { readonly kind: "removed" }

/** Changes of a table by key, in the order in which rows are to be put. */
type Changes = Map<string, Change>

interface OpenTransaction {
  /** The transaction around this one, whose changes it sees. */
  readonly outer: OpenTransaction | undefined
  readonly changes: Map<string, Changes>
  readonly afterCommit: Array<Effect.Effect<void>>
}

const put = (changes: Changes, key: string, row: unknown) => {
  const before = changes.get(key)?.kind
  if (before === "removed") changes.delete(key)
  changes.set(key, { kind: before === "removed" || before === "anew" ? "anew" : "put", row })
}

const remove = (changes: Changes, key: string) => {
  changes.delete(key)
  changes.set(key, { kind: "removed" })
}

/** Does to rows, or to the changes of the transaction around, what changes say. */
const apply = (
  changes: Changes,
  into: { readonly put: (key: string, row: unknown) => void; readonly remove: (key: string) => void }
) => {
  for (const [key, change] of changes) {
    if (change.kind !== "put") into.remove(key)
    if (change.kind !== "removed") into.put(key, change.row)
  }
}

const applyTo = (rows: Rows, changes: Changes) =>
  apply(changes, { put: (key, row) => rows.set(key, row), remove: (key) => rows.delete(key) })

/** The keys of a table's committed rows by a text that each row has. */
interface Index {
  readonly of: (row: unknown) => string
  readonly keys: Map<string, Set<string>>
}

/** Does to an index what changes are about to do to the rows. */
const reindex = ({ keys, of }: Index, rows: Rows, changes: Changes) => {
  for (const [key, change] of changes) {
    const before = rows.has(key) ? of(rows.get(key)) : undefined
    const after = change.kind === "removed" ? undefined : of(change.row)
    if (before === after && change.kind === "put") continue
    if (before !== undefined) {
      const others = keys.get(before)
      others?.delete(key)
      if (others?.size === 0) keys.delete(before)
    }
    if (after !== undefined) valueAt(keys, after, () => new Set()).add(key)
  }
}

/** The value at a key, which is made if there is none. */
const valueAt = <Value>(map: Map<string, Value>, key: string, make: () => Value): Value => {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
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
  /** Makes an index: the rows of which `of` returns a text, at no cost for the others, in any order. */
  readonly by: (of: (row: Row) => string) => (text: string) => Effect.Effect<ReadonlyArray<Row>>
  readonly put: (key: string, row: Row) => Effect.Effect<void, never, Transaction>
  readonly remove: (key: string) => Effect.Effect<void, never, Transaction>
}

/**
 * Tables under one lock. A transaction keeps its changes to itself; they are made to the tables when it succeeds and are dropped
 * otherwise. Transactions run one after another.
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
      const committed = new Map<string, Rows>()
      const rowsOf = (name: string): Rows => valueAt(committed, name, () => new Map())
      const indexes = new Map<string, Array<Index>>()

      const find = (open: OpenTransaction | undefined, name: string, key: string): unknown => {
        if (open === undefined) return rowsOf(name).get(key)
        const change = open.changes.get(name)?.get(key)
        if (change === undefined) return find(open.outer, name, key)
        return change.kind === "removed" ? undefined : change.row
      }

      /** All rows as a transaction sees them: the committed ones themselves where it has changed none. */
      const visible = (open: OpenTransaction | undefined, name: string): ReadonlyMap<string, unknown> => {
        if (open === undefined) return rowsOf(name)
        const around = visible(open.outer, name)
        const changes = open.changes.get(name)
        if (changes === undefined) return around
        const rows = new Map(around)
        applyTo(rows, changes)
        return rows
      }

      const write = (name: string, change: (changes: Changes) => void) =>
        Effect.flatMap(CurrentTransaction, (open) =>
          Effect.sync(() => {
            if (open === undefined) throw new Error("A write to memory needs an open transaction of this database")
            change(valueAt(open.changes, name, () => new Map()))
          })
        )

      const addIndex = (name: string, of: (row: unknown) => string): Index => {
        const index: Index = { of, keys: new Map() }
        for (const [key, row] of rowsOf(name)) valueAt(index.keys, of(row), () => new Set()).add(key)
        valueAt(indexes, name, () => []).push(index)
        return index
      }

      const findBy = (open: OpenTransaction | undefined, name: string, { keys, of }: Index, text: string) => {
        const found = new Set(keys.get(text))
        for (let one = open; one !== undefined; one = one.outer) {
          for (const key of one.changes.get(name)?.keys() ?? []) found.add(key)
        }
        return [...found].flatMap((key) => {
          const row = find(open, name, key)
          return row !== undefined && of(row) === text ? [row] : []
        })
      }

      const table = <Row>(name: string): MemoryTable<Row> => ({
        get: (key) => Effect.map(CurrentTransaction, (open) => find(open, name, key) as Row | undefined),
        all: Effect.map(CurrentTransaction, (open) => [...visible(open, name).values()] as Array<Row>),
        by: (of) => {
          const index = addIndex(name, of as (row: unknown) => string)
          return (text) => Effect.map(CurrentTransaction, (open) => findBy(open, name, index, text) as Array<Row>)
        },
        put: (key, row) => write(name, (changes) => put(changes, key, row)),
        remove: (key) => write(name, (changes) => remove(changes, key))
      })

      const commit = ({ changes, outer }: OpenTransaction) => {
        for (const [name, ofTable] of changes) {
          if (outer === undefined) {
            const rows = rowsOf(name)
            for (const index of indexes.get(name) ?? []) reindex(index, rows, ofTable)
            applyTo(rows, ofTable)
            continue
          }
          const around = valueAt(outer.changes, name, () => new Map())
          apply(ofTable, { put: (key, row) => put(around, key, row), remove: (key) => remove(around, key) })
        }
      }

      const run = <A, E, R>(
        effect: Effect.Effect<A, E, R>,
        outer: OpenTransaction | undefined,
        committing: (open: OpenTransaction) => Effect.Effect<void>
      ) => {
        const open: OpenTransaction = { outer, changes: new Map(), afterCommit: [] }
        return effect.pipe(
          Effect.provideService(CurrentTransaction, open),
          Effect.provideService(Transaction, { id: "memory" }),
          Effect.onExit((exit) =>
            Exit.isSuccess(exit)
              ? Effect.suspend(() => {
                  commit(open)
                  return committing(open)
                })
              : Effect.void
          )
        )
      }

      const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Transaction>> =>
        Effect.flatMap(CurrentTransaction, (outer) => {
          if (outer !== undefined) {
            return run(effect, outer, ({ afterCommit }) =>
              Effect.sync(() => void outer.afterCommit.push(...afterCommit))
            )
          }
          return lock.withPermits(1)(
            run(effect, undefined, ({ afterCommit }) =>
              Effect.forEach(afterCommit, (callback) => callback, { discard: true })
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
