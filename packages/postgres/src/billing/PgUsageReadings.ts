import {
  ALL_AGENTS,
  addOutcomes,
  type CellDimension,
  canGroupRuns,
  type GroupedDay,
  NO_OUTCOMES,
  type OutcomeCounts,
  type Span,
  type UsageFilter,
  UsageReadings,
  type WorkspaceSpans
} from "@agent-platform/billing"
import { firstIdAt, toPage, type WorkspaceId } from "@agent-platform/kernel"
import { sumOfDistributions } from "@agent-platform/toolkit"
import { type DateTime, Effect, Semaphore } from "effect"
import type { Statement } from "effect/sql/Statement"
import { readTimestamp, texts, timestamp, timestamps, uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { askAlone } from "../pipelined.ts"
import type { Row } from "../table.ts"
import { CORRECTED_COLUMNS, toCorrected } from "./callTable.ts"
import { labelledRows } from "./labelledRows.ts"
import {
  countsTable,
  dayTable,
  figuresTable,
  latencyAtTable,
  outcomesAtTable,
  runModelTable,
  summed,
  usageAtTable
} from "./rollUpTables.ts"
import { dearestIn, groupedDaysIn, groupsIn, outcomesIn, PAID_SUMS, usageIn } from "./usageGroups.ts"

/** Most large readings of a process at a time. Readings by labels take long, so they are counted apart and hold up no others. */
const READINGS_MAX = 2
const LABELLED_MAX = 1

/** A row of an answer: each repeats as of when the roll-ups are, and there is at least one. */
interface AsOfRow extends Row {
  readonly as_of: Date
}

const asOfIn = ([row]: ReadonlyArray<AsOfRow>): DateTime.Utc => readTimestamp(row?.as_of ?? new Date(0))

/** The rows with a finding; an answer without any has one row that is null beside `as_of`. */
const foundIn = (rows: ReadonlyArray<Row>, column: string): ReadonlyArray<Row> =>
  rows.filter((row) => row[column] !== null)

const daysTable = dayTable.omit("organizationId", "workspaceId")

/** As `summed`, zero where there is no row. */
const summedOrNone = (column: string): string => `coalesce(sum(${column}), 0) as ${column}`

/** The rows of roll-ups that make up each span: those of whole days, and those of the hours before and after them. */
const levelled = (spans: ReadonlyArray<WorkspaceSpans>) =>
  spans.flatMap(({ days, hours, workspaceId }) => [
    ...(days === undefined ? [] : [{ workspaceId, level: "day", ...days }]),
    ...hours.map((span) => ({ workspaceId, level: "hour", ...span }))
  ])

/** Readings of the roll-ups; of the ledger for a single run, and by labels (tags and metadata), which only runs have. */
export const layer = layerSql(UsageReadings)((sql) => {
  const turns = Semaphore.makeUnsafe(READINGS_MAX)
  const labelledTurns = Semaphore.makeUnsafe(LABELLED_MAX)

  const ofAgent = ({ agentId }: UsageFilter) =>
    agentId === undefined ? sql`true` : sql`found.agent_id::text = ${agentId}`
  const ofModel = ({ model, provider }: UsageFilter) =>
    sql.and([
      provider === undefined ? sql`true` : sql`found.provider = ${provider}`,
      model === undefined ? sql`true` : sql`found.model = ${model}`
    ])
  const ofFilter = (filter: UsageFilter) => sql.and([ofAgent(filter), ofModel(filter)])

  /** Latencies: without a filter there is one row an hour for all agents together; with one the rows of single agents are added up. */
  const latencyOf = (filter: UsageFilter) =>
    Object.values(filter).every((one) => one === undefined)
      ? sql`found.agent_id = ${ALL_AGENTS}::uuid`
      : sql`found.agent_id <> ${ALL_AGENTS}::uuid and ${ofAgent(filter)} and (found.kind = 'run' or ${ofModel(filter)})`

  /** The rows of a roll-up in all of the spans: one range of the primary key for each. */
  const rowsIn = (table: string, spans: ReadonlyArray<WorkspaceSpans>) => {
    const wanted = levelled(spans)
    return sql`
        unnest(
          ${uuids(wanted.map(({ workspaceId }) => workspaceId))}, ${texts(wanted.map(({ level }) => level))},
          ${timestamps(wanted.map(({ start }) => start))}, ${timestamps(wanted.map(({ end }) => end))}
        ) as span (workspace_id, level, starts_at, ends_at)
        cross join lateral (
          select * from ${sql.literal(table)} as one
          where one.workspace_id = span.workspace_id and one.level = span.level
            and one.starts_at >= span.starts_at and one.starts_at < span.ends_at
        ) as found
      `
  }

  /** The condition of hours of a span in some workspaces. */
  const hoursIn = (workspaceIds: ReadonlyArray<WorkspaceId>, { end, start }: Span) => sql`
      found.workspace_id = any(${uuids(workspaceIds)})
        and found.starts_at >= ${timestamp(start)} and found.starts_at < ${timestamp(end)}
    `

  /** The condition of the days of a month. */
  const datesIn = (workspaceIds: ReadonlyArray<WorkspaceId>, month: string) => sql`
      day.workspace_id = any(${uuids(workspaceIds)}) and day.date >= ${`${month}-01`}::text::date
        and day.date < ${`${month}-01`}::text::date + interval '1 month'
    `

  /** The run's calls, each with the price that holds: `corrected` is the last correction of the call. */
  const callsOf = (workspaceId: string, runId: string, called: Span) => sql`
      agent_platform.model_call as call left join lateral (
        select cost_usd as corrected_cost_usd, price_version as corrected_price_version from agent_platform.usage_correction
        where usage_correction.workspace_id = ${workspaceId} and usage_correction.run_id = ${runId}
          and usage_correction.call_id = call.id
        order by usage_correction.id desc limit 1
      ) as corrected on true
      where call.workspace_id = ${workspaceId} and call.run_id = ${runId}
        and call.id >= ${firstIdAt(called.start)}::uuid and call.id < ${firstIdAt(called.end)}::uuid
    `

  /** A large reading: few at a time, so that writers still get connections. */
  const read = <Read extends object>(statement: Statement<Read>, inTurn = turns) =>
    Effect.orDie(inTurn.withPermits(1)(askAlone(sql, statement)))

  return {
    asOf: sql<AsOfRow>`select as_of from agent_platform.roll_up_state`.pipe(mapRows(asOfIn)),

    // The statement with `as_of` goes first, so that the second one reads newer rows, never older ones.
    usage: Effect.fnUntraced(function* (spans, { filter, groupBy }) {
      const usage = usageIn(
        sql,
        groupBy,
        sql`${rowsIn("agent_platform.usage_roll_up", spans)} where ${ofFilter(filter)}`
      )
      const ended = sql`${rowsIn("agent_platform.outcome_roll_up", spans)} where ${ofAgent(filter)}`
      const isByRuns = canGroupRuns(groupBy)
      const branches = isByRuns ? sql`${usage} union all ${outcomesIn(sql, groupBy, ended)}` : usage
      const rows = yield* read(sql<AsOfRow>`
          select as_of, added.* from agent_platform.roll_up_state left join (${dearestIn(sql, branches)}) as added on true
        `)
      const groups = groupsIn(foundIn(rows, "is_other"), groupBy)
      const counts = isByRuns
        ? groups.flatMap(({ runs }) => runs ?? [])
        : countsTable.readAll(
            yield* read(sql<Row>`select ${sql.literal(countsTable.each(summedOrNone))} from ${ended}`)
          )
      return { asOf: asOfIn(rows), groups, runs: counts.reduce<OutcomeCounts>(addOutcomes, NO_OUTCOMES) }
    }),

    labelled: (workspaceIds, span, { filter, groupBy }) =>
      read(
        sql<Row>`${dearestIn(sql, usageIn(sql, groupBy, labelledRows(sql, workspaceIds, span, groupBy, ofFilter(filter))))}`,
        labelledTurns
      ).pipe(Effect.map((rows) => groupsIn(rows, groupBy))),

    hours: Effect.fnUntraced(function* (workspaceIds, span, filter) {
      const within = hoursIn(workspaceIds, span)
      const usage = yield* read(sql<AsOfRow>`
          select as_of, added.* from agent_platform.roll_up_state left join (
            select starts_at, ${sql.literal(PAID_SUMS)} from agent_platform.usage_roll_up as found
            where ${within} and found.level = 'hour' and ${ofFilter(filter)} group by starts_at
          ) as added on true
          order by starts_at
        `)
      const outcomes = yield* read(sql<Row>`
          select starts_at, ${sql.literal(countsTable.each(summed))} from agent_platform.outcome_roll_up as found
          where ${within} and found.level = 'hour' and ${ofAgent(filter)} group by starts_at order by starts_at
        `)
      const latencies = yield* read(sql<Row>`
          select starts_at, kind, json_agg(distribution) as distributions from agent_platform.latency_roll_up as found
          where ${within} and found.kind = any(${texts(["run", "first_token"])}) and ${latencyOf(filter)}
          group by 1, 2 order by 1
        `)
      return {
        asOf: asOfIn(usage),
        usage: usageAtTable.readAll(foundIn(usage, "starts_at")),
        outcomes: outcomesAtTable.readAll(outcomes),
        latencies: latencyAtTable.readAll(latencies).map(({ at, distributions, kind }) => ({
          at,
          kind,
          distribution: sumOfDistributions(distributions)
        }))
      }
    }),

    days: Effect.fnUntraced(function* (workspaceIds, month) {
      const sums = figuresTable.each(
        (column) => `sum(day.${column})${column === "revision" ? "::int" : ""} as ${column}`
      )
      const rows = yield* Effect.orDie(sql<AsOfRow>`
          select as_of, added.* from agent_platform.roll_up_state left join (
            select day.date::text as date, min(day.starts_at) as starts_at, max(day.ends_at) as ends_at, ${sql.literal(sums)}
            from agent_platform.billing_day as day where ${datesIn(workspaceIds, month)} group by day.date
          ) as added on true
          order by date
        `)
      return { asOf: asOfIn(rows), days: daysTable.readAll(foundIn(rows, "date")) }
    }),

    groupedDays: (workspaceIds: ReadonlyArray<WorkspaceId>, month: string, groupBy: ReadonlyArray<CellDimension>) =>
      read(sql<Row & { readonly date: string }>`${groupedDaysIn(sql, groupBy, datesIn(workspaceIds, month))}`).pipe(
        Effect.map((rows) =>
          groupsIn(rows, groupBy).map((group, place): GroupedDay => ({ ...group, date: rows[place]?.date ?? "" }))
        )
      ),

    runCosts: (workspaceId, runId, called) =>
      read(sql<Row>`
          select provider, request_model as model, key_source, count(*) as requests,
            count(*) filter (where coalesce(corrected_cost_usd, cost_usd) is null) as unpriced_requests,
            sum(input_tokens)::bigint as input_tokens, sum(cache_read_tokens)::bigint as cache_read_tokens,
            sum(cache_write_tokens)::bigint as cache_write_tokens, sum(output_tokens)::bigint as output_tokens,
            sum(reasoning_tokens)::bigint as reasoning_tokens,
            coalesce(sum(coalesce(corrected_cost_usd, cost_usd)), 0)::text as cost_usd,
            (array_agg(coalesce(corrected_price_version, price_version) order by seq desc) filter (
              where coalesce(corrected_price_version, price_version) is not null
            ))[1] as price_version
          from ${callsOf(workspaceId, runId, called)}
          group by provider, request_model, key_source order by provider, request_model, key_source
        `).pipe(Effect.map(runModelTable.readAll)),

    runRequests: (workspaceId, runId, called, { before, limit }) =>
      sql<Row>`
          select ${sql.literal(CORRECTED_COLUMNS)}
          from ${callsOf(workspaceId, runId, called)}
            and ${before === undefined ? sql`true` : sql`call.seq < ${Number(before)}`}
          order by call.seq desc limit ${limit + 1}
        `.pipe(mapRows((rows) => toPage(rows.map(toCorrected), limit, ({ seq }) => String(seq))))
  }
})
