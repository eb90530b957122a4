/** The calls of a span, for readings by the tags and the metadata of runs. */
import { metadataName, type Span, type UsageDimension } from "@agent-platform/billing"
import { firstIdAt, type WorkspaceId } from "@agent-platform/kernel"
import { DateTime } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { timestamp, uuids } from "../columns.ts"
import { summed, sumsTable } from "./rollUpTables.ts"

/** How far the clocks of workers, which make the ids, may be off from the times of admission. */
const SLACK = { days: 1 }

/** The place of roll-ups in the ledger, or in its corrections, as a row to compare with. */
const placeOf = (column: "calls_place" | "corrections_place"): string => `(
  select split_part(${column}, '/', 1)::xid8, split_part(${column}, '/', 2)::uuid, split_part(${column}, '/', 3)::uuid
  from agent_platform.roll_up_state
)`

/** Sums of whole numbers are cast back to `bigint`: Postgres makes them `numeric`, which takes twice as long to add up again. */
const SUMS = sumsTable.each((column) =>
  column === "cost_usd" ? summed(column) : `sum(${column})::bigint as ${column}`
)

/**
 * Usage of these workspaces as rows of `found`, one for the calls of a run to a model. Only calls and corrections that are in the
 * roll-ups by now count, as in other readings. Where labels are asked for, `run` is joined; where tags are, there is a row for each tag.
 */
export const labelledRows = (
  sql: SqlClient.SqlClient,
  workspaceIds: ReadonlyArray<WorkspaceId>,
  { end, start }: Span,
  groupBy: ReadonlyArray<UsageDimension>,
  isMeant: Fragment
): Fragment => {
  const called = sql`
    workspace_id = any(${uuids(workspaceIds)}) and called_at >= ${timestamp(start)} and called_at < ${timestamp(end)}
  `
  const areTagsAsked = groupBy.some((dimension) => dimension === "tag")
  const isRunAsked = areTagsAsked || groupBy.some((dimension) => metadataName(dimension) !== undefined)
  return sql`
    (
      select workspace_id, run_id, agent_id, provider, model, key_source, ${sql.literal(SUMS)}
      from (
        select workspace_id, run_id, agent_id, provider, request_model as model, key_source, 1 as requests,
          (cost_usd is null)::int as unpriced_requests, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
          reasoning_tokens, coalesce(cost_usd, 0) as cost_usd
        from agent_platform.model_call
        where ${called} and id >= ${firstIdAt(DateTime.subtract(start, SLACK))}::uuid
          and id < ${firstIdAt(DateTime.add(end, SLACK))}::uuid
          and (recorded_xid, workspace_id, id) <= ${sql.literal(placeOf("calls_place"))}
        union all
        select workspace_id, run_id, agent_id, provider, request_model, key_source, 0, - was_unpriced::int, 0, 0, 0, 0, 0, delta_usd
        from agent_platform.usage_correction
        where ${called} and (recorded_xid, workspace_id, id) <= ${sql.literal(placeOf("corrections_place"))}
      ) as found
      where ${isMeant} group by 1, 2, 3, 4, 5, 6
    ) as found
    ${isRunAsked ? sql`left join agent_platform.run on run.workspace_id = found.workspace_id and run.id = found.run_id` : sql.literal("")}
    ${areTagsAsked ? sql`left join lateral (select distinct unnest(run.tags) as tag) as tags on true` : sql.literal("")}
  `
}
