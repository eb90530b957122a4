import { arrivalsOf, type FeedPart, type FeedRange, type NoticeOwner, NotificationFeed } from "@agent-platform/feeds"
import { firstIdAt, type OrganizationId, type WorkspaceId } from "@agent-platform/kernel"
import { Effect } from "effect"
import { texts, uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { fileNotices } from "./fileNotices.ts"
import { forgetNotices } from "./forgetNotices.ts"
import { markAllRead, markRead } from "./markNotices.ts"
import { NOTIFICATION_COLUMNS, toNumbered } from "./notificationTable.ts"
import { holdTally, isTallyOf } from "./owners.ts"
import { readNotices } from "./readNotices.ts"

interface OwnerRow {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId | null
}

const toOwner = (row: OwnerRow): NoticeOwner => ({ organizationId: row.organization_id, workspaceId: row.workspace_id })

/** Numbers as a `text[]` parameter, which the statement casts to `bigint[]`. */
const numberTexts = (values: ReadonlyArray<number | undefined>) =>
  texts(values.map((value) => (value === undefined ? null : String(value))))

/** The part of a range in these rows, at most `max` notices of the workspace's own and `max` that its organization shares. */
const toPart = ({ after }: FeedRange, rows: ReadonlyArray<Row>, max: number): FeedPart => {
  const own = rows.filter((row) => row.workspace_id !== null).map(toNumbered)
  const shared = rows.filter((row) => row.workspace_id === null).map(toNumbered)
  const arrivals = arrivalsOf(after, own, shared, max)
  return { arrivals, next: arrivals.at(-1)?.place ?? after, more: own.length === max || shared.length === max }
}

/**
 * Notices in the table `notification`: a workspace's own, and those shared by all workspaces of an organization. The tables
 * `notification_reader` and `notification_read` say which of them a workspace has read, `notification_tally` how many numbers an owner's
 * notices were given (`filed`), and up to which of them the notices are forgotten (`forgotten`).
 */
export const layer = layerSql(NotificationFeed)((sql) => {
  const columns = sql.literal(NOTIFICATION_COLUMNS)

  /** The first rows of one kind in every range, each with the number of its range. */
  const firstOfKind = (ranges: ReadonlyArray<FeedRange>, kind: "own" | "shared", max: number) => sql`
      select range.index, found.*,
        found.number <= coalesce(reader.read_${sql.literal(kind)}, 0) or marked.notification_id is not null as read
      from unnest(
        ${uuids(ranges.map(({ workspace }) => workspace.organizationId))},
        ${uuids(ranges.map(({ workspace }) => workspace.workspaceId))},
        ${numberTexts(ranges.map(({ after }) => after[kind]))}::bigint[],
        ${numberTexts(ranges.map(({ upTo }) => upTo?.[kind]))}::bigint[]
      ) with ordinality as range (organization_id, workspace_id, after, up_to, index)
      left join agent_platform.notification_reader reader using (organization_id, workspace_id)
      cross join lateral (
        select ${columns} from agent_platform.notification
        where owner_id = range.${sql.literal(kind === "own" ? "workspace_id" : "organization_id")}
          and number is not null and number > range.after and (range.up_to is null or number <= range.up_to)
        order by number limit ${max}
      ) as found
      left join agent_platform.notification_read marked on marked.notification_id = found.id and marked.workspace_id = range.workspace_id
      where found.organization_id = range.organization_id
    `

  return {
    read: readNotices(sql),
    markRead: markRead(sql),
    markAllRead: markAllRead(sql),

    unfiled: (max, among) =>
      (among === undefined
        ? sql<OwnerRow>`
              select organization_id, workspace_id from agent_platform.notification where number is null
              union select organization_id, workspace_id from agent_platform.notification_closing limit ${max}
            `
        : sql<OwnerRow>`
              select distinct owner.organization_id, owner.workspace_id
              from unnest(
                ${uuids(among.map(({ organizationId }) => organizationId))},
                ${texts(among.map(({ workspaceId }) => workspaceId))}::uuid[]
              ) as owner (organization_id, workspace_id)
              where exists (
                select from agent_platform.notification
                where owner_id = coalesce(owner.workspace_id, owner.organization_id) and number is null
              ) or exists (
                select from agent_platform.notification_closing closing where closing.workspace_id = owner.workspace_id
              )
              limit ${max}
            `
      ).pipe(mapRows((rows) => rows.map(toOwner))),

    file: (owner, max) => Effect.orDie(Effect.andThen(holdTally(sql, owner), fileNotices(sql, owner, max))),

    countFiled: (owner) =>
      sql<{ readonly filed: bigint }>`
          select filed - forgotten as filed from agent_platform.notification_tally tally where ${isTallyOf(sql, owner)}
        `.pipe(mapRows(([row]) => Number(row?.filed ?? 0))),

    end: ({ organizationId, workspaceId }) =>
      sql<{ readonly workspace_id: string | null; readonly filed: bigint }>`
          select workspace_id, filed from agent_platform.notification_tally
          where coalesce(workspace_id, organization_id) in (${organizationId}::uuid, ${workspaceId}::uuid)
        `.pipe(
        mapRows((rows) => ({
          own: Number(rows.find((row) => row.workspace_id !== null)?.filed ?? 0),
          shared: Number(rows.find((row) => row.workspace_id === null)?.filed ?? 0)
        }))
      ),

    since: (ranges, max) =>
      ranges.length === 0
        ? Effect.succeed([])
        : sql<Row & { readonly index: bigint }>`
              ${firstOfKind(ranges, "own", max)} union all ${firstOfKind(ranges, "shared", max)} order by index, number
            `.pipe(
            mapRows((rows) =>
              ranges.map((range, index) =>
                toPart(
                  range,
                  rows.filter((row) => Number(row.index) === index + 1),
                  max
                )
              )
            )
          ),

    marks: (workspaces) =>
      sql<{ readonly workspace_id: string; readonly marks: string }>`
          select workspace_id, concat_ws(' ', read_own, read_shared, read_beyond) as marks
          from unnest(
            ${uuids(workspaces.map(({ organizationId }) => organizationId))},
            ${uuids(workspaces.map(({ workspaceId }) => workspaceId))}
          ) as followed (organization_id, workspace_id)
          join agent_platform.notification_reader using (organization_id, workspace_id)
        `.pipe(
        mapRows((rows) => {
          const found = new Map(rows.map(({ marks, workspace_id }) => [workspace_id, marks]))
          return workspaces.map(({ workspaceId }) => found.get(workspaceId) ?? "")
        })
      ),

    outdated: (before, max) =>
      sql<OwnerRow>`
          select distinct organization_id, workspace_id from (
            select organization_id, workspace_id from agent_platform.notification where id < ${firstIdAt(before)}::uuid
            order by id limit ${max}
          ) as old
        `.pipe(mapRows((rows) => rows.map(toOwner))),
    forget: forgetNotices(sql)
  }
})
