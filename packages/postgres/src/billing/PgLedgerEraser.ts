import { LedgerEraser } from "@agent-platform/billing"
import { ERASED_ID, type Erased } from "@agent-platform/kernel"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { uuids } from "../columns.ts"
import { type ErasedTable, eraserOf } from "../erasing.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"

const tables = (sql: SqlClient.SqlClient): ReadonlyArray<ErasedTable> => {
  /** Rows that still say which run they belong to. `ERASED_ID` sorts before all ids, so `>` means `<>`, in a form that indexes serve. */
  const linked = (what: Erased) => {
    switch (what._tag) {
      case "Resources":
        return sql`workspace_id = ${what.workspaceId} and run_id = any(${uuids(what.ids)})`
      case "Tenant":
        return what.workspaceId === null
          ? undefined
          : sql`workspace_id = ${what.workspaceId} and run_id > ${ERASED_ID}::uuid`
      case "Person":
        return undefined
    }
  }
  const key = ["workspace_id", "id"]
  const unlinked = `run_id = '${ERASED_ID}'`
  return [
    // A call that is under way is settled with the run and the session that its reservation names.
    {
      kind: "model_calls",
      table: "call_reservation",
      key,
      set: `${unlinked}, session_id = '${ERASED_ID}'`,
      where: linked
    },
    { kind: "model_calls", table: "model_call", key, set: `${unlinked}, session_id = '${ERASED_ID}'`, where: linked },
    { kind: "corrections", table: "usage_correction", key, set: unlinked, where: linked },
    {
      kind: "prices",
      table: "price_override",
      key: ["id"],
      where: (what) =>
        what._tag === "Tenant" && what.workspaceId !== null
          ? sql`organization_id = ${what.organizationId} and workspace_id = ${what.workspaceId}`
          : undefined
    }
  ]
}

/** The tables of calls and of sums over them. While one has a row of a workspace, the workspace's own row stays when it is erased. */
const COUNTED = [
  "call_reservation",
  "model_call",
  "usage_correction",
  "workspace_spend",
  "billing_month",
  "usage_roll_up",
  "outcome_roll_up",
  "latency_roll_up",
  "billing_day"
]

/** The eraser of the tables of billing. */
export const layer = layerSql(LedgerEraser)((sql) => ({
  ...eraserOf(sql, tables(sql)),
  runsCountedTo: Effect.map(
    Effect.orDie(sql<{ readonly runs_place: string | null }>`select runs_place from agent_platform.roll_up_state`),
    ([row]) => row?.runs_place ?? undefined
  ),
  isCounted: (workspaceId) => {
    const rows = COUNTED.map(
      (table) => sql`exists (select from agent_platform.${sql.literal(table)} where workspace_id = ${workspaceId})`
    )
    return sql<{ readonly counted: boolean }>`select ${sql.or(rows)} as counted`.pipe(
      mapRows(([row]) => row?.counted === true)
    )
  }
}))
