import { type KeptMonth, type RollUpDeltas, type RollUpState, RollUpStore } from "@agent-platform/billing"
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { jsonb, nullableTimestamp, readTimestamp, timestamp, uuids } from "../columns.ts"
import { readPlace } from "./places.ts"
import { fromSums } from "./sumsRow.ts"

interface StateRow {
  readonly calls_place: string | null
  readonly corrections_place: string | null
  readonly runs_place: string | null
  readonly as_of: Date
  readonly sample_mark: string | null
  readonly sample_at: Date | null
}

const toState = (row: StateRow): RollUpState => ({
  calls: row.calls_place ?? undefined,
  corrections: row.corrections_place ?? undefined,
  runs: row.runs_place ?? undefined,
  asOf: readTimestamp(row.as_of),
  sample:
    row.sample_mark === null || row.sample_at === null
      ? undefined
      : { mark: BigInt(row.sample_mark), at: readTimestamp(row.sample_at) }
})

interface MonthRow {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId
  readonly month: string
  readonly timezone: string
  readonly starts_at: Date
  readonly ends_at: Date
}

const toMonth = (row: MonthRow): KeptMonth => ({
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  month: row.month,
  timezone: row.timezone,
  start: readTimestamp(row.starts_at),
  end: readTimestamp(row.ends_at)
})

/** A server gives numbers out upwards, and what was read was written before: so these numbers are another server's. */
const RESTORED =
  "The database was restored from a dump on another server: usage is not rolled up until 'admin database restored' " +
  "has renewed its marks, see 'After restoring a dump' in docs/operations.md"

const iso = DateTime.formatIso

const fromMonth = (month: KeptMonth) => ({
  organization_id: month.organizationId,
  workspace_id: month.workspaceId,
  month: month.month,
  timezone: month.timezone,
  starts_at: iso(month.start),
  ends_at: iso(month.end)
})

const usageRows = ({ usage }: RollUpDeltas) =>
  usage.map((delta) => ({
    organization_id: delta.organizationId,
    workspace_id: delta.workspaceId,
    level: delta.level,
    starts_at: iso(delta.start),
    agent_id: delta.agentId,
    provider: delta.provider,
    model: delta.model,
    key_source: delta.keySource,
    ...fromSums(delta)
  }))

const outcomeRows = ({ outcomes }: RollUpDeltas) =>
  outcomes.map(({ agentId, cancelled, failed, level, organizationId, paused, start, succeeded, workspaceId }) => ({
    organization_id: organizationId,
    workspace_id: workspaceId,
    level,
    starts_at: iso(start),
    agent_id: agentId,
    succeeded,
    paused,
    failed,
    cancelled
  }))

const dayRows = ({ days }: RollUpDeltas) =>
  days.map((day) => ({
    organization_id: day.organizationId,
    workspace_id: day.workspaceId,
    date: day.date,
    starts_at: iso(day.start),
    ends_at: iso(day.end),
    runs: day.runs,
    requests: day.requests,
    byok_cost_usd: day.byokCostUsd,
    platform_cost_usd: day.platformCostUsd,
    adjustments_usd: day.adjustmentsUsd,
    revision: day.revision
  }))

/** Roll-ups in tables of their own; the row of `roll_up_state` is the one place of those who roll up. */
export const layer: Layer.Layer<RollUpStore, never, SqlClient.SqlClient> = Layer.effect(
  RollUpStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    RollUpStore.of({
      hold: ({ quietSeconds }) =>
        sql<StateRow>`
          select calls_place, corrections_place, runs_place, as_of, sample_mark::text as sample_mark, sample_at
          from roll_up_state
          where tried_at <= clock_timestamp() - ${quietSeconds}::float8 * interval '1 second'
          for update skip locked
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toState(row))
        ),

      save: Effect.fnUntraced(function* ({ asOf, calls, corrections, runs, sample }) {
        const [row] = yield* Effect.orDie(sql<{ readonly own: string }>`
          update roll_up_state set calls_place = ${calls ?? null}, corrections_place = ${corrections ?? null},
            runs_place = ${runs ?? null}, as_of = ${timestamp(asOf)},
            sample_mark = ${sample === undefined ? null : String(sample.mark)}::text::xid8,
            sample_at = ${nullableTimestamp(sample?.at ?? null)}, tried_at = clock_timestamp()
          returning pg_current_xact_id()::text as own
        `)
        const last = [calls, corrections, runs].map((place) => BigInt(readPlace(place).mark))
        if (last.some((mark) => mark >= BigInt(row?.own ?? "0"))) return yield* Effect.die(new Error(RESTORED))
      }),

      months: Effect.fnUntraced(function* (workspaceIds, span) {
        if (workspaceIds.length === 0) return []
        const within =
          span === undefined
            ? sql`true`
            : sql`starts_at < ${timestamp(span.end)} and ends_at > ${timestamp(span.start)}`
        const rows = yield* Effect.orDie(sql<MonthRow>`
          select * from billing_month where workspace_id = any(${uuids(workspaceIds)}) and ${within} order by starts_at
        `)
        return rows.map(toMonth)
      }),

      keepMonths: (months) =>
        months.length === 0
          ? Effect.void
          : sql`
              insert into billing_month
              select * from jsonb_populate_recordset(null::billing_month, ${jsonb(months.map(fromMonth))})
              on conflict do nothing
            `.pipe(Effect.orDie, Effect.asVoid),

      // In the order of their keys, so that pages of the indexes are visited once.
      add: Effect.fnUntraced(function* (deltas) {
        if (deltas.usage.length > 0)
          yield* Effect.orDie(sql`
            insert into usage_roll_up as kept
            select delta.* from jsonb_populate_recordset(null::usage_roll_up, ${jsonb(usageRows(deltas))}) as delta
            order by workspace_id, level, starts_at, agent_id, provider, model, key_source
            on conflict (workspace_id, level, starts_at, agent_id, provider, model, key_source) do update set
              requests = kept.requests + excluded.requests,
              unpriced_requests = kept.unpriced_requests + excluded.unpriced_requests,
              input_tokens = kept.input_tokens + excluded.input_tokens,
              cache_read_tokens = kept.cache_read_tokens + excluded.cache_read_tokens,
              cache_write_tokens = kept.cache_write_tokens + excluded.cache_write_tokens,
              output_tokens = kept.output_tokens + excluded.output_tokens,
              reasoning_tokens = kept.reasoning_tokens + excluded.reasoning_tokens,
              cost_usd = kept.cost_usd + excluded.cost_usd
          `)
        if (deltas.outcomes.length > 0)
          yield* Effect.orDie(sql`
            insert into outcome_roll_up as kept
            select delta.* from jsonb_populate_recordset(null::outcome_roll_up, ${jsonb(outcomeRows(deltas))}) as delta
            order by workspace_id, level, starts_at, agent_id
            on conflict (workspace_id, level, starts_at, agent_id) do update set
              succeeded = kept.succeeded + excluded.succeeded, paused = kept.paused + excluded.paused,
              failed = kept.failed + excluded.failed, cancelled = kept.cancelled + excluded.cancelled
          `)
        if (deltas.days.length > 0)
          yield* Effect.orDie(sql`
            insert into billing_day as kept
            select delta.* from jsonb_populate_recordset(null::billing_day, ${jsonb(dayRows(deltas))}) as delta
            order by workspace_id, date
            on conflict (workspace_id, date) do update set
              runs = kept.runs + excluded.runs, requests = kept.requests + excluded.requests,
              byok_cost_usd = kept.byok_cost_usd + excluded.byok_cost_usd,
              platform_cost_usd = kept.platform_cost_usd + excluded.platform_cost_usd,
              adjustments_usd = kept.adjustments_usd + excluded.adjustments_usd,
              revision = kept.revision + excluded.revision
          `)
      })
    })
  )
)
