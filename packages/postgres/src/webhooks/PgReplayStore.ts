import { toPage } from "@agent-platform/kernel"
import { ReplayStore } from "@agent-platform/webhooks"
import { Effect } from "effect"
import { timestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { replayTable } from "./replayTable.ts"

/** The columns that change while a replay goes on. */
const changeable = replayTable.pick("state", "stateReason", "position", "replayedCount", "startedAt", "finishedAt")

/** Replays of ranges in the table `webhook_replay`. */
export const layer = layerSql(ReplayStore)((sql) => {
  const columns = sql.literal(replayTable.selected)
  const findLocked = (lock: "" | "for update"): ReplayStore["Service"]["find"] => {
    const locking = sql.literal(lock)
    return (organizationId, id) =>
      sql<Row>`
          select ${columns} from agent_platform.webhook_replay where organization_id = ${organizationId} and id = ${id} ${locking}
        `.pipe(mapRows(replayTable.readFirst))
  }
  return {
    insert: (replay) =>
      sql`
          insert into agent_platform.webhook_replay (${sql.literal(replayTable.names)}) ${replayTable.rowsOf([replay])}
        `.pipe(Effect.orDie, Effect.asVoid),

    find: findLocked(""),
    findToChange: findLocked("for update"),

    list: (of, { before, limit }) =>
      sql<Row>`
          select ${columns} from agent_platform.webhook_replay
          where ${"endpointId" in of ? sql`endpoint_id = ${of.endpointId}` : sql`organization_id = ${of.organizationId}`}
            ${before === undefined ? sql.literal("") : sql`and id < ${before}`}
          order by id desc limit ${limit + 1}
        `.pipe(mapRows((rows) => toPage(replayTable.readAll(rows), limit, (replay) => replay.id))),

    replace: (replay) =>
      sql`
          update agent_platform.webhook_replay set ${sql.literal(changeable.assignedFrom("changed"))}
          from (${changeable.rowsOf([replay])}) as changed
          where organization_id = ${replay.organizationId} and id = ${replay.id}
        `.pipe(Effect.orDie, Effect.asVoid),

    prune: (before, limit) =>
      sql`
          delete from agent_platform.webhook_replay where (organization_id, id) in (
            select organization_id, id from agent_platform.webhook_replay
            where finished_at < ${timestamp(before)} order by finished_at limit ${limit} for update skip locked
          ) returning 1
        `.pipe(mapRows((rows) => rows.length)),

    unfinished: (after, limit) =>
      sql<Row>`
          select ${columns} from agent_platform.webhook_replay
          where finished_at is null ${after === undefined ? sql.literal("") : sql`and id > ${after}`}
          order by id limit ${limit}
        `.pipe(mapRows(replayTable.readAll)),

    countUnfinished: (endpointId) =>
      sql<{ readonly unfinished: number }>`
          select count(*)::int as unfinished from agent_platform.webhook_replay
          where endpoint_id = ${endpointId} and finished_at is null
        `.pipe(mapRows(([row]) => row?.unfinished ?? 0))
  }
})
