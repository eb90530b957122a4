import { ActivityFeed, toActivityPage } from "@agent-platform/feeds"
import { firstIdAt, PAGE_LIMIT_MAX } from "@agent-platform/kernel"
import type { Fragment } from "effect/sql/Statement"
import { timestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { isUuid, type Row } from "../table.ts"
import { activityTable } from "./activityTable.ts"

/** The longest scan, as a literal: for a limit that is a parameter the planner supposes a tenth of all rows. */
const SCAN_MAX = PAGE_LIMIT_MAX + 1

/**
 * Activity in the table `activity`, in pages that never sort all that an owner has.
 *
 * Entries about one resource are found by the index `activity_about`. All others are read by kind, that is by the types of
 * their resource and their actor: `own_kind` steps through the index `activity_of_kind` from one kind of the workspace to the next, of
 * which there are a dozen or two, and `shared_kind` does so through `activity_of_organization`. Each kind that is meant gives as many
 * entries as a page has, and the page is the newest of all these.
 *
 * The organization is compared outside of each walk, so that the walk is planned by its own index alone. Old entries are forgotten by
 * their ids, which begin with the time.
 */
export const layer = layerSql(ActivityFeed)((sql) => ({
  list: (scope, { actorType, resourceId, resourceType, since }, { before, limit }) => {
    const ofType = resourceType === undefined ? sql`` : sql`and resource_type = ${resourceType}`
    const ofActor = actorType === undefined ? sql`` : sql`and actor_type = ${actorType}`
    const ofKindsActor = actorType === undefined ? sql`` : sql`and kind.actor_type = ${actorType}`
    const within = [
      ...(since === undefined ? [] : [sql`created_at >= ${timestamp(since)}`]),
      ...(before === undefined ? [] : [sql`(created_at, id) < (${timestamp(before.createdAt)}, ${before.id}::uuid)`])
    ]
    const owners = [
      { kinds: sql.literal("own_kind"), isOf: sql`workspace_id = ${scope.workspaceId}` },
      ...(scope.includesOrganization
        ? [{ kinds: sql.literal("shared_kind"), isOf: sql`owner_id = ${scope.organizationId}` }]
        : [])
    ]
    const entriesWhere = (conditions: Fragment) => sql`(
          select * from (
            select ${sql.literal(activityTable.names)} from agent_platform.activity
            where ${sql.and([conditions, ...within])}
            order by created_at desc, id desc limit ${sql.literal(String(SCAN_MAX))}
          ) as found
          order by created_at desc, id desc limit ${limit + 1}
        ) as entry`
    const kindsOf = owners.map(
      ({ isOf, kinds }) => sql`
        ${kinds} as (
          (
            select resource_type, actor_type from agent_platform.activity where ${isOf} ${ofType}
            order by resource_type, actor_type limit 1
          )
          union all
          select next.* from ${kinds} as kind cross join lateral (
            select resource_type, actor_type from agent_platform.activity
            where ${isOf} and (resource_type, actor_type) > (kind.resource_type, kind.actor_type) ${ofType}
            order by resource_type, actor_type limit 1
          ) as next
        )`
    )
    const entriesOfKinds = owners.map(
      ({ isOf, kinds }) => sql`
        (select entry.* from ${kinds} as kind cross join lateral
        ${entriesWhere(sql`${isOf} and resource_type = kind.resource_type and actor_type = kind.actor_type`)}
        where entry.organization_id = ${scope.organizationId} ${ofKindsActor})`
    )
    const entriesAbout = (id: string) => {
      const [own, shared] = isUuid(id)
        ? // A UUID is of one owner, and finds its few entries alone. `=` would let the planner combine it with an index of owners, and
          // so look through all that the owner has; no index serves `is not distinct from`.
          [
            sql`resource_id = ${id}::uuid and workspace_id is not distinct from ${scope.workspaceId}::uuid`,
            sql`resource_id = ${id}::uuid and owner_id is not distinct from ${scope.organizationId}::uuid`
          ]
        : [
            sql`resource_word = ${id} and workspace_id = ${scope.workspaceId}`,
            sql`resource_word = ${id} and workspace_id is null and owner_id = ${scope.organizationId}`
          ]
      return [own, ...(scope.includesOrganization ? [shared] : [])].map(
        (isAbout) => sql`
        (select entry.* from ${entriesWhere(sql`${isAbout} ${ofType} ${ofActor}`)}
        where entry.organization_id = ${scope.organizationId})`
      )
    }
    const pages = resourceId === undefined ? entriesOfKinds : entriesAbout(resourceId)
    const page = sql`(${sql.join(" union all ", false)(pages)}) as entry order by created_at desc, id desc limit ${limit + 1}`
    const found =
      resourceId === undefined
        ? sql<Row>`with recursive ${sql.csv(kindsOf)} select * from ${page}`
        : sql<Row>`select * from ${page}`
    return found.pipe(mapRows((rows) => toActivityPage(activityTable.readAll(rows), limit)))
  },

  forget: (before, max) =>
    sql`
          delete from agent_platform.activity where id in (
            select id from agent_platform.activity where id < ${firstIdAt(before)}::uuid order by id limit ${max}
            for update skip locked
          ) returning 1
        `.pipe(mapRows((rows) => rows.length))
}))
