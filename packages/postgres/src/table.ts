/**
 * The mapping between an entity and the columns of its table, declared once. Statements take from it the names of columns, the rows to
 * write and the entities that they read.
 */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"
import { type Fragment, fragment, literal, parameter } from "effect/sql/Statement"
import { type ColumnType, text, uuid } from "./columnTypes.ts"

/** A row as the client reads it. */
export type Row = Readonly<Record<string, unknown>>

interface Column<Entity> {
  readonly name: string
  readonly type: ColumnType<unknown>
  readonly valueIn: (entity: Entity) => unknown
}

/** The columns of a value, and how it is read from a row that has them, each perhaps behind the prefix of its table (`agent_`). */
interface Columns<A> {
  readonly columns: ReadonlyArray<Column<A>>
  readonly read: (row: Row, tablePrefix: string) => A
}

/** The column of each property of an entity, or the `group` of columns of a property that is an object. */
export type Fields<Entity> = { readonly [Key in keyof Entity]: ColumnType<Entity[Key]> | Columns<Entity[Key]> }

/** The columns of a table for an entity, and how to read and write them. */
export interface Table<Entity> {
  /** `id, name`: what is inserted. */
  readonly names: string
  /** `agent.id, agent.name`: what is selected. */
  readonly selected: string
  /** `agent.id as agent_id, agent.name as agent_name`: the same beside another table's. */
  readonly prefixed: string
  /** `(agent).id as agent_id, (agent).name as agent_name`: the same of a column that holds a whole row. */
  readonly composed: string
  /** The text made of each column's name, as a list. */
  readonly each: (text: (column: string) => string) => string
  /** `name = changed.name, …`: what is updated. */
  readonly assignedFrom: (changed: string) => string
  /** A query whose rows are these entities, in the order of `names`. */
  readonly rowsOf: (entities: ReadonlyArray<Entity>) => Fragment
  /** The entity in a row of `selected`. */
  readonly read: (row: Row) => Entity
  /** The entity in the first row, if there is one. */
  readonly readFirst: (rows: ReadonlyArray<Row>) => Entity | undefined
  /** The entities in all rows. */
  readonly readAll: (rows: ReadonlyArray<Row>) => ReadonlyArray<Entity>
  /** The entity in a row of `prefixed` or `composed`. */
  readonly readPrefixed: (row: Row) => Entity
  /** The same table by another name. */
  readonly as: (name: string) => Table<Entity>
  /** The same table with the columns of these properties. */
  readonly pick: <Key extends keyof Entity>(...keys: ReadonlyArray<Key>) => Table<Pick<Entity, Key>>
  /** The same table with the columns of all others. */
  readonly omit: <Key extends keyof Entity>(...keys: ReadonlyArray<Key>) => Table<Omit<Entity, Key>>
  /** The same table with more columns, of the table itself or only of a statement. */
  readonly with: <More>(more: Fields<More>) => Table<Entity & More>
}

const snakeCase = (property: string): string => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

type Field = ColumnType<unknown> | Columns<unknown>

const entriesOf = <Entity>(fields: Fields<Entity>) =>
  Object.entries(fields) as unknown as ReadonlyArray<[keyof Entity & string, Field]>

const filtered = <Entity, Part>(fields: Fields<Entity>, isKept: (key: keyof Entity) => boolean): Fields<Part> =>
  Object.fromEntries(entriesOf(fields).filter(([key]) => isKept(key))) as Fields<Part>

const columnsOf = <Entity>(fields: Fields<Entity>, prefix: string): Columns<Entity> => {
  const properties = entriesOf(fields).map(([key, field]): [keyof Entity & string, Columns<unknown>] => {
    if ("columns" in field) return [key, field]
    const name = prefix + (field.name ?? snakeCase(key))
    const column = { name, type: field, valueIn: (value: unknown) => value }
    return [key, { columns: [column], read: (row, tablePrefix) => field.read(row[tablePrefix + name]) }]
  })
  return {
    columns: properties.flatMap(([key, { columns }]) =>
      columns.map((column) => ({ ...column, valueIn: (entity: Entity) => column.valueIn(entity[key]) }))
    ),
    read: (row, tablePrefix) => {
      // A copy that has all properties at once: an object that gets forty properties one by one stays slow to read.
      const entity: Record<keyof Entity, unknown> = { ...fields }
      for (const [key, { read }] of properties) entity[key] = read(row, tablePrefix)
      return entity as Entity
    }
  }
}

/** A property that is an object: its own properties are in columns with this prefix. */
export const group = <A extends object>(prefix: string, fields: Fields<A>): Columns<A> => columnsOf(fields, prefix)

/** As `group`, where the object may be null: then all of its columns are null. The first column must not be null otherwise. */
export const nullableGroup = <A extends object>(prefix: string, fields: Fields<A>): Columns<A | null> => {
  const { columns, read } = columnsOf(fields, prefix)
  const [first] = columns
  return {
    columns: columns.map((column) => ({
      ...column,
      valueIn: (value: A | null) => (value === null ? null : column.valueIn(value))
    })),
    read: (row, tablePrefix) =>
      first === undefined || row[tablePrefix + first.name] === null ? null : read(row, tablePrefix)
  }
}

/** UUIDs as Postgres writes them. In another form they would not come back as they were. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether `uuidOrWord` keeps the text in its column of UUIDs. */
export const isUuid = (value: string): boolean => UUID.test(value)

/** An id that is nearly always a UUID, in a column `uuid`; any other text is in the column beside it. */
export const uuidOrWord = (uuidName: string, wordName: string): Columns<string> => {
  const column = (name: string, type: ColumnType<string>, isMeant: (value: string) => boolean): Column<string> => ({
    name,
    type: type as ColumnType<unknown>,
    valueIn: (value) => (isMeant(value) ? value : null)
  })
  return {
    columns: [column(uuidName, uuid(), isUuid), column(wordName, text(), (value) => !isUuid(value))],
    read: (row, tablePrefix) => (row[tablePrefix + uuidName] ?? row[tablePrefix + wordName]) as string
  }
}

/** The table of this name, with the columns of its entity's properties. */
export const makeTable = <Entity>(name: string, fields: Fields<Entity>): Table<Entity> => {
  const { columns, read } = columnsOf(fields, "")
  const names = columns.map((column) => column.name)
  const each = (text: (column: string) => string) => names.map((column) => text(column)).join(", ")
  const values = columns.map(({ name, type }) => `${type.fromElement(`element.${name}`)} as ${name}`).join(", ")
  return {
    names: each((column) => column),
    selected: each((column) => `${name}.${column}`),
    prefixed: each((column) => `${name}.${column} as ${name}_${column}`),
    composed: each((column) => `(${name}).${column} as ${name}_${column}`),
    each,
    assignedFrom: (changed) => each((column) => `${column} = ${changed}.${column}`),
    // The arrays are unnested in the SELECT list and not in FROM, where Postgres stores all elements before it makes the first row;
    // that took a quarter of the time for inserting deliveries.
    rowsOf: (entities) =>
      fragment([
        literal(`select ${values} from (select `),
        ...columns.flatMap(({ name, type, valueIn }, index) => {
          const array = PgTypes.array(
            entities.map((entity) => type.toElement(valueIn(entity))),
            type.oid
          )
          return [
            literal(index === 0 ? "unnest(" : ", unnest("),
            parameter(Result.getOrThrow(array)),
            literal(`) as ${name}`)
          ]
        }),
        literal(") as element")
      ]),
    read: (row) => read(row, ""),
    readFirst: ([row]) => row && read(row, ""),
    readAll: (rows) => rows.map((row) => read(row, "")),
    readPrefixed: (row) => read(row, `${name}_`),
    as: (other) => makeTable(other, fields),
    pick: (...keys) =>
      makeTable(
        name,
        filtered(fields, (key) => (keys as ReadonlyArray<unknown>).includes(key))
      ),
    omit: (...keys) =>
      makeTable(
        name,
        filtered(fields, (key) => !(keys as ReadonlyArray<unknown>).includes(key))
      ),
    with: <More>(more: Fields<More>) => makeTable(name, { ...fields, ...more } as Fields<Entity & More>)
  }
}
