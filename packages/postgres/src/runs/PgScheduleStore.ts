import { toPage } from "@agent-platform/kernel"
import { ScheduleStore, type WorkspacePlace } from "@agent-platform/runs"
import { Effect } from "effect"
import { timestamp } from "../columns.ts"
import { holdAndCount } from "../holdName.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { scheduleTable } from "./scheduleTable.ts"

/** The columns that an update of a schedule writes. */
const changeable = scheduleTable.omit("organizationId", "createdAt")

interface PlaceRow {
  readonly organization_id: WorkspacePlace["organizationId"]
  readonly workspace_id: WorkspacePlace["workspaceId"]
}

/** Schedules in the table `schedule`. */
export const layer = layerSql(ScheduleStore)((sql) => {
  const columns = sql.literal(scheduleTable.selected)
  // The full order of the index `schedule_due`, so that each step of a walk is one look into it.
  const line = sql.literal("schedule.organization_id, schedule.workspace_id, schedule.next_run_at, schedule.id")

  return {
    holdCount: (workspaceId, max) =>
      holdAndCount(
        sql,
        `schedules:${workspaceId}`,
        sql`agent_platform.schedule where workspace_id = ${workspaceId}`,
        max
      ),

    insert: (schedule) =>
      sql`
          insert into agent_platform.schedule (${sql.literal(scheduleTable.names)}) ${scheduleTable.rowsOf([schedule])}
        `.pipe(Effect.orDie, Effect.asVoid),

    find: (workspaceId, id) =>
      sql<Row>`
          select ${columns} from agent_platform.schedule where workspace_id = ${workspaceId} and id = ${id}
        `.pipe(mapRows(scheduleTable.readFirst)),

    hold: (workspaceId, id) =>
      sql<Row>`
          select ${columns} from agent_platform.schedule where workspace_id = ${workspaceId} and id = ${id}
          for no key update
        `.pipe(mapRows(scheduleTable.readFirst)),

    holdOfAgent: (workspaceId, agentId) =>
      sql<Row>`
          select ${columns} from agent_platform.schedule
          where workspace_id = ${workspaceId} and agent_id = ${agentId} and next_run_at is not null
          order by id for no key update
        `.pipe(mapRows(scheduleTable.readAll)),

    list: (workspaceId, { agentId }, page) =>
      sql<Row>`
          select ${columns} from agent_platform.schedule
          where workspace_id = ${workspaceId}
            ${agentId === undefined ? sql.literal("") : sql`and agent_id = ${agentId}`}
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(mapRows((rows) => toPage(scheduleTable.readAll(rows), page.limit, (schedule) => schedule.id))),

    update: (schedules) =>
      schedules.length === 0
        ? Effect.void
        : sql`
          update agent_platform.schedule set ${sql.literal(changeable.assignedFrom("changed"))}
          from (${changeable.rowsOf(schedules)}) as changed
          where schedule.workspace_id = changed.workspace_id and schedule.id = changed.id
        `.pipe(Effect.orDie, Effect.asVoid),

    remove: (workspaceId, id) =>
      sql<Row>`
          delete from agent_platform.schedule where workspace_id = ${workspaceId} and id = ${id} returning ${columns}
        `.pipe(mapRows(scheduleTable.readFirst)),

    // It jumps from workspace to workspace along the index, so that its cost depends on how many there are and not on how many
    // schedules they have.
    dueWorkspaces: ({ after, at, limit }) => {
      const behind = (organizationId: unknown, workspaceId: unknown) =>
        sql`(schedule.organization_id, schedule.workspace_id) > (${organizationId}, ${workspaceId})`
      const first = after === undefined ? sql`true` : behind(after.organizationId, after.workspaceId)
      return sql<PlaceRow>`
          with recursive walk as (
            (
              select organization_id, workspace_id from agent_platform.schedule
              where next_run_at is not null and ${first} order by ${line} limit 1
            )
            union all
            select found.* from walk cross join lateral (
              select schedule.organization_id, schedule.workspace_id from agent_platform.schedule
              where schedule.next_run_at is not null
                and (schedule.organization_id, schedule.workspace_id) > (walk.organization_id, walk.workspace_id)
              order by ${line} limit 1
            ) as found
          )
          select walk.organization_id, walk.workspace_id from walk
          where exists (
            select from agent_platform.schedule
            where schedule.organization_id = walk.organization_id and schedule.workspace_id = walk.workspace_id
              and schedule.next_run_at <= ${timestamp(at)}
          )
          limit ${limit}
        `.pipe(
        mapRows((rows) => rows.map((row) => ({ organizationId: row.organization_id, workspaceId: row.workspace_id })))
      )
    },

    holdDue: ({ at, max, only, workspace }) =>
      sql<Row>`
          select ${columns} from agent_platform.schedule
          where organization_id = ${workspace.organizationId} and workspace_id = ${workspace.workspaceId}
            and next_run_at <= ${timestamp(at)}
            ${only === undefined ? sql.literal("") : sql`and id = ${only}`}
          order by ${line} limit ${max} for no key update skip locked
        `.pipe(mapRows(scheduleTable.readAll))
  }
})
