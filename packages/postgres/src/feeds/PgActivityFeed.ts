import { ActivityFeed, toActivityPage } from "@agent-platform/feeds"
import { firstIdAt, PAGE_LIMIT_MAX } from "@agent-platform/kernel"
import type { Fragment } from "effect/sql/Statement"
import { timestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { activityTable } from "./activityTable.ts"

/** The longest scan, as a literal: for a limit that is a parameter the planner supposes a tenth of all rows. */
const SCAN_MAX = PAGE_LIMIT_MAX + 1

/**
 * Activity in the table `activity`. What was done to one resource is read along `activity_about`, all else along `activity_of_kind` alone:
 * such a page first jumps through the index from one kind of resource and actor to the next, of which an owner has a dozen or two, and
 * then merges one scan for each that is meant, in the list's order and no longer than the page. Old entries are found by their ids,
 * which begin with the time.
 */
export const layer = layerSql(ActivityFeed)((sql) => ({
  list: (scope, { actorType, resourceId, resourceType, since }, { before, limit }) => {
    const ids = [scope.workspaceId, ...(scope.includesOrganization ? [scope.organizationId] : [])]
    const owners = sql`(values ${sql.csv(ids.map((owner) => sql`(${owner}::uuid)`))}) as owner (id)`
    const within = [
      ...(since === undefined ? [] : [sql`created_at >= ${timestamp(since)}`]),
      ...(before === undefined ? [] : [sql`(created_at, id) < (${timestamp(before.createdAt)}, ${before.id}::uuid)`])
    ]
    const ofType = resourceType === undefined ? sql`` : sql`and resource_type = ${resourceType}`
    const ofActor = actorType === undefined ? sql`` : sql`and actor_type = ${actorType}`
    const entries = (conditions: ReadonlyArray<Fragment>) => sql`(
            select * from (
              select ${sql.literal(activityTable.names)} from agent_platform.activity where ${sql.and([...conditions, ...within])}
              order by created_at desc, id desc limit ${sql.literal(String(SCAN_MAX))}
            ) as found
            order by created_at desc, id desc limit ${limit + 1}
          ) as entry`
    const about = () => sql<Row>`
          select entry.* from ${owners} cross join lateral ${entries([
            sql`resource_id = ${resourceId} and owner_id = owner.id ${ofType} ${ofActor}`
          ])}
          where entry.organization_id = ${scope.organizationId}
          order by entry.created_at desc, entry.id desc limit ${limit + 1}
        `
    const ofKinds = () => sql<Row>`
          with recursive kind as (
            select first.* from ${owners}
            cross join lateral (
              select owner_id, resource_type, actor_type from agent_platform.activity where owner_id = owner.id ${ofType}
              order by owner_id, resource_type, actor_type limit 1
            ) as first
            union all
            select next.* from kind cross join lateral (
              select owner_id, resource_type, actor_type from agent_platform.activity
              where owner_id = kind.owner_id and (resource_type, actor_type) > (kind.resource_type, kind.actor_type) ${ofType}
              order by owner_id, resource_type, actor_type limit 1
            ) as next
          )
          select entry.* from kind cross join lateral ${entries([
            sql`owner_id = kind.owner_id and resource_type = kind.resource_type and actor_type = kind.actor_type`
          ])}
          where entry.organization_id = ${scope.organizationId}
            ${actorType === undefined ? sql`` : sql`and kind.actor_type = ${actorType}`}
          order by entry.created_at desc, entry.id desc limit ${limit + 1}
        `
    return (resourceId === undefined ? ofKinds() : about()).pipe(
      mapRows((rows) => toActivityPage(activityTable.readAll(rows), limit))
    )
  },

  forget: (before, max) =>
    sql`
          delete from agent_platform.activity where id in (
            select id from agent_platform.activity where id < ${firstIdAt(before)}::uuid order by id limit ${max}
            for update skip locked
          ) returning 1
        `.pipe(mapRows((rows) => rows.length))
}))
