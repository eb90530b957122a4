import type { CallLedger, NewReservation, Reserved } from "@agent-platform/billing"
import { Effect, Predicate } from "effect"
import type { SqlClient } from "effect/sql"
import { timestamp } from "../columns.ts"
import { readMoney } from "../money.ts"

interface Row {
  readonly is_reserved: boolean
  readonly output_tokens_max: string | null
  readonly amount_usd: string | null
  readonly fits_month: boolean
  readonly fits_run: boolean
  readonly is_waiting: boolean
  readonly month_spent: string
  readonly month_reserved: string
  readonly run_spent: string
  readonly run_reserved: string
}

/** How long a refused call counts as waiting: a little longer than `reserveCall` does. */
const AWAITED = "6 seconds"

const answerOf = (row: Row): Reserved => {
  if (row.is_reserved) {
    const amountUsd = row.amount_usd === null ? null : readMoney(row.amount_usd)
    return { _tag: "Reserved", outputTokensMax: Number(row.output_tokens_max), amountUsd }
  }
  return row.fits_month
    ? {
        _tag: "Refused",
        by: "run",
        spend: { spentUsd: readMoney(row.run_spent), reservedUsd: readMoney(row.run_reserved) },
        isWaiting: row.is_waiting
      }
    : {
        _tag: "Refused",
        by: "workspace",
        spend: { spentUsd: readMoney(row.month_spent), reservedUsd: readMoney(row.month_reserved) },
        isWaiting: row.is_waiting
      }
}

/**
 * The output tokens that a cap leaves beside the amount that is `taken`; null where it leaves none. This, and the amount by
 * `ROUNDED_UP`, repeat `outputTokensWithin` and `worstCostAt` of billing exactly: the quotient is cut off, the amount rounded up.
 */
const tokensWithin = (cap: string, taken: string) => `case
  when ${cap} is null then wanted
  when ${cap} - (${taken}) < base then null
  when rate = 0 then wanted
  else least(wanted, div(${cap} - (${taken}) - base, rate)) end`

const ROUNDED_UP = "trunc(cost, 12) + case when trunc(cost, 12) < cost then 0.000000000001 else 0 end"

/**
 * The month and the run are locked in this order, which `count(*) … >= 0` enforces, and compared with their caps under the locks. Rows
 * that do not exist yet cannot be locked: of two first calls at once the second meets the first one's row in `on conflict`, which
 * compares again. Where it then fits the month and not the run, the amount would be held back in the month alone: `is_whole` divides by
 * zero, so that the whole statement is undone, and `reserve` sends it again, which then finds the new rows.
 */
const ask = (sql: SqlClient.SqlClient, call: NewReservation) => {
  const { organizationId, workspaceId } = call
  const { baseUsd, outputTokenUsd } = call.rates ?? { baseUsd: "0", outputTokenUsd: "0" }
  const [monthCap, runCap] = call.reported === "whatever_caps" ? [null, null] : [call.workspaceCapUsd, call.runCapUsd]
  const start = timestamp(call.period.start)
  // Both rows as they are, under their locks.
  const locked = sql`
    month_before as (
      select spent_usd, reserved_usd from agent_platform.workspace_spend
      where workspace_id = ${workspaceId} and period_start = ${start}
      for no key update
    ), run_before as (
      select spent_usd, reserved_usd from agent_platform.run_spend
      where workspace_id = ${workspaceId} and run_id = ${call.runId} and (select count(*) from month_before) >= 0
      for no key update
    )
  `
  // All that is known in one row. A call costs `base` and `rate` for each output token; it asks for as many as are `wanted`, and fewer
  // than are `useful` are of no use.
  const known = sql`
    known as (
      select
        coalesce((select spent_usd from month_before), 0) as month_spent,
        coalesce((select reserved_usd from month_before), 0) as month_reserved,
        coalesce((select spent_usd from run_before), 0) as run_spent,
        coalesce((select reserved_usd from run_before), 0) as run_reserved,
        ${baseUsd}::numeric as base, ${outputTokenUsd}::numeric as rate,
        ${call.outputTokensMax}::numeric as wanted, ${call.outputTokensMin}::numeric as useful,
        ${monthCap}::numeric as month_cap, ${runCap}::numeric as run_cap
    )
  `
  // The call itself where it asks again; one that is reported after the fact may be settled already.
  const earlier = sql`
    earlier as (
      select output_tokens_max, amount_usd from agent_platform.call_reservation
      where workspace_id = ${workspaceId} and id = ${call.id}
      union all
      select output_tokens, reserved_usd from agent_platform.model_call
      where ${call.reported !== undefined}::boolean and workspace_id = ${workspaceId} and id = ${call.id}
    )
  `
  // The output tokens that each cap leaves: now, and at best, that is once calls under way have freed all that they hold back.
  const tokens = sql`
    tokens as (
      select *,
        ${sql.literal(tokensWithin("month_cap", "month_spent + month_reserved"))} as of_month,
        ${sql.literal(tokensWithin("run_cap", "run_spent + run_reserved"))} as of_run,
        ${sql.literal(tokensWithin("month_cap", "month_spent"))} as of_month_at_best,
        ${sql.literal(tokensWithin("run_cap", "run_spent"))} as of_run_at_best
      from known
    )
  `
  // Whether the call fits under each cap, or waits because it would at best; and the amount that it would hold back.
  const verdict = sql`
    judged as (
      select *,
        coalesce(of_month >= useful, false) as fits_month,
        coalesce(of_run >= useful, false) as fits_run,
        coalesce(of_month_at_best >= useful and of_run_at_best >= useful, false) as is_waiting,
        least(of_month, of_run) as granted, base + least(of_month, of_run) * rate as cost
      from tokens
    ), verdict as (
      select *, ${sql.literal(ROUNDED_UP)} as amount, exists (select from earlier) as is_repeated from judged
    )
  `
  // Holds the amount back under both caps, comparing again where the row was not there to be locked; the run numbers its calls.
  const heldBack = sql`
    month_after as (
      insert into agent_platform.workspace_spend (organization_id, workspace_id, period_start, period_end, cap_usd, reserved_usd)
      select ${organizationId}::uuid, ${workspaceId}::uuid, ${start}::timestamptz,
        ${timestamp(call.period.end)}::timestamptz, ${call.workspaceCapUsd}::numeric, amount
      from verdict where fits_month and fits_run and not is_repeated
      on conflict (workspace_id, period_start) do update set
        reserved_usd = workspace_spend.reserved_usd + excluded.reserved_usd,
        cap_usd = excluded.cap_usd, period_end = excluded.period_end
      where ${monthCap}::numeric is null
        or workspace_spend.spent_usd + workspace_spend.reserved_usd + excluded.reserved_usd <= ${monthCap}::numeric
      returning 1
    ), run_after as (
      insert into agent_platform.run_spend (workspace_id, run_id, reserved_usd, last_seq)
      select ${workspaceId}::uuid, ${call.runId}::uuid, amount, 1 from verdict, month_after
      on conflict (workspace_id, run_id) do update set
        reserved_usd = run_spend.reserved_usd + excluded.reserved_usd, last_seq = run_spend.last_seq + 1
      where coalesce(run_spend.spent_usd + run_spend.reserved_usd + excluded.reserved_usd <= ${runCap}::numeric, true)
      returning last_seq
    )
  `
  const reservation = sql`
    reservation as (
      insert into agent_platform.call_reservation (
        organization_id, workspace_id, id, run_id, session_id, agent_id, seq, attempt, provider, request_model,
        key_source, key_id, input_tokens_max, output_tokens_max, amount_usd, price_version, period_start, called_at,
        expires_at
      )
      select ${organizationId}::uuid, ${workspaceId}::uuid, ${call.id}::uuid, ${call.runId}::uuid,
        ${call.sessionId}::uuid, ${call.agentId}::uuid, last_seq, ${call.attempt}::integer, ${call.provider}::text,
        ${call.requestModel}::text, ${call.keySource}::text, ${call.keyId}::uuid, ${call.inputTokensMax}::bigint,
        granted::bigint, case when ${call.rates !== null}::boolean then amount end, ${call.priceVersion}::text,
        ${start}::timestamptz, ${timestamp(call.calledAt)}::timestamptz,
        clock_timestamp() + ${call.holdSeconds}::float8 * interval '1 second'
      from run_after, verdict
      returning output_tokens_max, amount_usd
    )
  `
  // Lets settlements know that a call waits for what they free.
  const awaited = sql`
    awaited as (
      update agent_platform.workspace_spend set awaited_until = clock_timestamp() + interval '${sql.literal(AWAITED)}'
      from verdict
      where workspace_id = ${workspaceId} and period_start = ${start}
        and not (fits_month and fits_run) and is_waiting and not is_repeated
    )
  `
  return sql<Row>`
    with ${locked}, ${known}, ${earlier}, ${tokens}, ${verdict}, ${heldBack}, ${reservation}, ${awaited}
    select is_repeated or exists (select from reservation) as is_reserved, fits_month, fits_run, is_waiting,
      coalesce((select output_tokens_max from earlier), (select output_tokens_max from reservation))::text as output_tokens_max,
      coalesce((select amount_usd from earlier), (select amount_usd from reservation))::text as amount_usd,
      month_spent::text, month_reserved::text, run_spent::text, run_reserved::text,
      case when exists (select from month_after) then (select 1 / count(*) from run_after) end as is_whole
    from verdict
  `
}

const DIVISION_BY_ZERO = "22012"

/** Once two first calls have met there are rows, so more tries than these mean a fault. */
const TRIES_MAX = 5

/** `CallLedger.reserve`: one statement, and another only where two calls were the first of a run or of a month at once. */
export const reserve = (sql: SqlClient.SqlClient): CallLedger["Service"]["reserve"] => {
  const attempt = (call: NewReservation, tries: number): Effect.Effect<Reserved> =>
    ask(sql, call).pipe(
      Effect.map(([row]) => row),
      Effect.catch((error) =>
        Predicate.hasProperty(error.reason.cause, "code") && error.reason.cause.code === DIVISION_BY_ZERO
          ? Effect.succeed(undefined)
          : Effect.die(error)
      ),
      Effect.flatMap((row) => {
        const isDecided = row !== undefined && (row.is_reserved || !(row.fits_month && row.fits_run))
        if (isDecided) return Effect.succeed(answerOf(row))
        return tries >= TRIES_MAX
          ? Effect.die(new Error(`The call ${call.id} could not be judged`))
          : attempt(call, tries + 1)
      })
    )
  return (call) => attempt(call, 1)
}
