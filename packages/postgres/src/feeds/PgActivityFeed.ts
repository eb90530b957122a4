import { ACTOR_TYPES, ActivityFeed, toActivityPage } from "@agent-platform/feeds"
import { firstIdAt, PAGE_LIMIT_MAX } from "@agent-platform/kernel"
import { timestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { activityTable } from "./activityTable.ts"

/** The longest scan, as a literal: for a limit that is a parameter the planner supposes a tenth of all rows. */
const SCAN_MAX = PAGE_LIMIT_MAX + 1

/**
 * Activity in the table `activity`. A page merges one index scan for each owner and each kind of actor, along
 * `activity_of_actor`, or along `activity_of_resource` where the filter names a resource: each in the list's order and no longer
 * than the page. Their number and their length are literals, so that Postgres keeps the generic plan. Old entries are found by
 * their ids, which begin with the time.
 */
export const layer = layerSql(ActivityFeed)((sql) => ({
  list: (scope, { actorType, resourceType, since }, { before, limit }) => {
    const owners = [scope.workspaceId, ...(scope.includesOrganization ? [scope.organizationId] : [])]
    const types = actorType === undefined ? ACTOR_TYPES : [actorType]
    const scans = owners.flatMap((owner) => types.map((type) => ({ owner, type })))
    const conditions = [
      sql`owner_id = scan.owner_id and actor_type = scan.actor_type`,
      // From the scan's row as well, so that no plan is made for one kind of resource.
      ...(resourceType === undefined ? [] : [sql`resource_type = scan.resource_type`]),
      ...(since === undefined ? [] : [sql`created_at >= ${timestamp(since)}`]),
      ...(before === undefined ? [] : [sql`(created_at, id) < (${timestamp(before.createdAt)}, ${before.id}::uuid)`])
    ]
    return sql<Row>`
          select entry.* from (
            values ${sql.csv(scans.map(({ owner, type }) => sql`(${owner}::uuid, ${type}, ${resourceType ?? null}::text)`))}
          ) as scan (owner_id, actor_type, resource_type)
          cross join lateral (
            select * from (
              select ${sql.literal(activityTable.names)} from agent_platform.activity where ${sql.and(conditions)}
              order by created_at desc, id desc limit ${sql.literal(String(SCAN_MAX))}
            ) as found
            order by created_at desc, id desc limit ${limit + 1}
          ) as entry
          where entry.organization_id = ${scope.organizationId}
          order by entry.created_at desc, entry.id desc limit ${limit + 1}
        `.pipe(mapRows((rows) => toActivityPage(activityTable.readAll(rows), limit)))
  },

  forget: (before, max) =>
    sql`
          delete from agent_platform.activity where id in (
            select id from agent_platform.activity where id < ${firstIdAt(before)}::uuid order by id limit ${max}
            for update skip locked
          ) returning 1
        `.pipe(mapRows((rows) => rows.length))
}))
