/** Readings of usage as tables, with a column for each member of the JSON. docs/billing.md, Tables. */
import { metadataName, type UsageDimension } from "@agent-platform/billing"
import { readings } from "@agent-platform/contract"
import { Schema, SchemaAST } from "effect"
import { type Column, csvOf } from "./csv.ts"

const objectsIn = (ast: SchemaAST.AST): SchemaAST.Objects | undefined => {
  if (SchemaAST.isObjects(ast)) return ast
  return SchemaAST.isUnion(ast) ? ast.types.map(objectsIn).find((one) => one !== undefined) : undefined
}

/** The columns of an object, those of objects inside of it included. Lists and optional members have none. */
const columnsIn = (ast: SchemaAST.AST): ReadonlyArray<Column> =>
  (objectsIn(ast)?.propertySignatures ?? []).flatMap(({ name, type }): ReadonlyArray<Column> => {
    if (type.context?.isOptional === true) return []
    const inside = objectsIn(type)
    return inside === undefined ? [[String(name)]] : columnsIn(inside).map((path) => [String(name), ...path])
  })

const columnsOf = (schema: Schema.Top): ReadonlyArray<Column> => columnsIn(SchemaAST.toEncoded(schema.ast))

const COLUMNS = {
  usage: columnsOf(readings.UsageView),
  organizationUsage: columnsOf(readings.OrganizationUsageView),
  usageGroup: columnsOf(readings.UsageGroupView),
  hour: columnsOf(readings.UsageHourView),
  day: columnsOf(readings.BillingDayView),
  dayGroup: columnsOf(readings.BillingGroupView)
}

/** The columns of the members that identify a group. */
const keyColumns = (groupBy: ReadonlyArray<UsageDimension>): ReadonlyArray<Column> =>
  groupBy.flatMap((dimension): ReadonlyArray<Column> => {
    const name = metadataName(dimension)
    if (name !== undefined) return [["metadata", name]]
    if (dimension === "agent_id") return [[dimension], ["agent_name"]]
    return dimension === "workspace_id" ? [[dimension], ["workspace_name"]] : [[dimension]]
  })

const groupColumns = (
  groupBy: ReadonlyArray<UsageDimension>,
  columns: ReadonlyArray<Column>
): ReadonlyArray<Column> => [...keyColumns(groupBy), ...columns]

interface EncodedUsage {
  readonly groups?: ReadonlyArray<unknown>
}

interface EncodedMonth {
  readonly items: ReadonlyArray<{ readonly date: string; readonly groups?: ReadonlyArray<object> }>
}

const usageCsv =
  (columns: ReadonlyArray<Column>, encode: (view: never) => EncodedUsage) =>
  (view: unknown, groupBy: ReadonlyArray<UsageDimension>): string => {
    const read = encode(view as never)
    return groupBy.length === 0
      ? csvOf(columns, [read])
      : csvOf(groupColumns(groupBy, COLUMNS.usageGroup), read.groups ?? [])
  }

const monthCsv =
  (encode: (view: never) => EncodedMonth) =>
  (view: unknown, groupBy: ReadonlyArray<UsageDimension>): string => {
    const { items } = encode(view as never)
    if (groupBy.length === 0) return csvOf(COLUMNS.day, items)
    const rows = items.flatMap(({ date, groups = [] }) => groups.map((group) => ({ ...group, date })))
    return csvOf([["date"], ...groupColumns(groupBy, COLUMNS.dayGroup)], rows)
  }

/**
 * The readings as tables. Each function takes the view of its reading and the dimensions by which it was grouped. The casts are safe as long
 * as a function gets the view of its own schema, which the handlers see to.
 */
export const readingCsv = {
  usage: usageCsv(COLUMNS.usage, Schema.encodeSync(readings.UsageView)),
  organizationUsage: usageCsv(COLUMNS.organizationUsage, Schema.encodeSync(readings.OrganizationUsageView)),
  hourly: (view: unknown): string =>
    csvOf(COLUMNS.hour, Schema.encodeSync(readings.HourlyUsageView)(view as never).items),
  billing: monthCsv(Schema.encodeSync(readings.BillingMonthView)),
  organizationBilling: monthCsv(Schema.encodeSync(readings.OrganizationBillingMonthView))
}
