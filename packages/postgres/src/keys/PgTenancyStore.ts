import { type OrganizationId, toPage, type WorkspaceId } from "@agent-platform/kernel"
import { ERASED_AS_ONE, TenancyStore } from "@agent-platform/keys"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readNullableTimestamp, timestamp, uuids } from "../columns.ts"
import { holdName } from "../holdName.ts"
import { makeLookUp, type Placed } from "../makeLookUp.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { organizationTable, workspaceTable } from "./tenancyTables.ts"

/** The columns that a change of a workspace may write. */
const changeable = workspaceTable.omit("id", "organizationId", "createdAt")

interface WorkspaceLookUp {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

/** Organizations and workspaces in tables of these names. */
export const layer: Layer.Layer<TenancyStore, never, SqlClient.SqlClient> = Layer.effect(
  TenancyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(workspaceTable.selected)
    const organizationColumns = sql.literal(organizationTable.selected)
    const findKeptWorkspace = yield* makeLookUp(sql, {
      idOf: ({ organizationId, workspaceId }: WorkspaceLookUp) => `${workspaceId} ${organizationId}`,
      read: (keys) => sql<Row & Placed & { readonly closed_at: Date | null }>`
        select ${columns}, workspace.closed_at, asked.place
        from unnest(
          ${uuids(keys.map(({ organizationId }) => organizationId))},
          ${uuids(keys.map(({ workspaceId }) => workspaceId))}
        ) with ordinality as asked (organization_id, id, place)
        join agent_platform.workspace using (organization_id, id)
      `,
      toFound: (row) => ({ ...workspaceTable.read(row), closedAt: readNullableTimestamp(row.closed_at) })
    })
    // Cached because the database takes about 50 ms to list its zones: it reads a file for each.
    const knownZones = new Set<string>()
    return TenancyStore.of({
      insertOrganization: (organization) =>
        sql`
          insert into agent_platform.organization (${sql.literal(organizationTable.names)}) ${organizationTable.rowsOf([organization])}
        `.pipe(Effect.orDie, Effect.asVoid),
      // Closed workspaces count as well, `ERASED_AS_ONE` of them as one: their rows stay.
      holdWorkspaces: (organizationId, max) => {
        const places = sql`
          select least(
            count(*) filter (where closed_at is null) + count(*) filter (where closed_at is not null) / ${ERASED_AS_ONE}::bigint,
            ${max}
          )::float8 as places
          from (
            select closed_at from agent_platform.workspace where organization_id = ${organizationId}
            limit ${max}::bigint * ${ERASED_AS_ONE}::bigint
          ) as mine
        `
        return Effect.andThen(
          holdName(sql, `workspace:${organizationId}`),
          places.pipe(mapRows(([row]) => Number(row?.["places"] ?? 0)))
        )
      },

      insertWorkspace: (workspace) =>
        sql`
          insert into agent_platform.workspace (${sql.literal(workspaceTable.names)}) ${workspaceTable.rowsOf([workspace])}
        `.pipe(Effect.orDie, Effect.asVoid),
      updateWorkspace: (workspace) =>
        sql`
          update agent_platform.workspace set ${sql.literal(changeable.assignedFrom("changed"))}
          from (${changeable.rowsOf([workspace])}) as changed
          where organization_id = ${workspace.organizationId} and id = ${workspace.id}
        `.pipe(Effect.orDie, Effect.asVoid),
      findOrganization: (id) =>
        sql<Row>`select ${organizationColumns} from agent_platform.organization where id = ${id} and closed_at is null`.pipe(
          mapRows(organizationTable.readFirst)
        ),
      renameOrganization: (id, name) =>
        sql<Row>`update agent_platform.organization set name = ${name} where id = ${id} and closed_at is null returning ${organizationColumns}`.pipe(
          mapRows(organizationTable.readFirst)
        ),
      // Names are looked up because `at time zone` also takes abbreviations and POSIX rules, whose signs are reversed.
      knowsTimezone: Effect.fnUntraced(function* (timezone) {
        if (knownZones.has(timezone)) return true
        const [row] = yield* Effect.orDie(sql<{ readonly known: boolean }>`
          select exists (select from pg_timezone_names where lower(name) = lower(${timezone})) as known
        `)
        if (row?.known === true) knownZones.add(timezone)
        return row?.known === true
      }),
      // Used by an operator, by hand: a few organizations need no index by name.
      organizationsNamed: (name, max) =>
        sql<Row>`
          select ${organizationColumns} from agent_platform.organization where name = ${name} and closed_at is null order by id limit ${max}
        `.pipe(mapRows(organizationTable.readAll)),
      workspacesNamed: (organizationId, name, max) =>
        sql<Row>`
          select ${columns} from agent_platform.workspace
          where organization_id = ${organizationId} and name = ${name} and closed_at is null order by id limit ${max}
        `.pipe(mapRows(workspaceTable.readAll)),
      listOrganizations: (page) =>
        sql<Row>`
          select ${organizationColumns} from agent_platform.organization
          where closed_at is null ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(
          mapRows((rows) => toPage(organizationTable.readAll(rows), page.limit, (organization) => organization.id))
        ),
      listWorkspaces: (organizationId, page, among) =>
        sql<Row>`
          select ${columns} from agent_platform.workspace
          where organization_id = ${organizationId} and closed_at is null
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
            ${among === undefined ? sql.literal("") : sql`and id = any(${uuids(among)})`}
          order by id desc limit ${page.limit + 1}
        `.pipe(mapRows((rows) => toPage(workspaceTable.readAll(rows), page.limit, (workspace) => workspace.id))),
      listKeptWorkspaces: (organizationId, since, page) =>
        sql<Row>`
          select ${columns} from agent_platform.workspace
          where organization_id = ${organizationId} and (erased_at is null or erased_at >= ${timestamp(since)})
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(mapRows((rows) => toPage(workspaceTable.readAll(rows), page.limit, (workspace) => workspace.id))),
      findWorkspace: (organizationId, workspaceId) =>
        Effect.map(findKeptWorkspace({ organizationId, workspaceId }), (found) => {
          if (found === undefined || found.closedAt !== null) return undefined
          const { closedAt: _, ...workspace } = found
          return workspace
        }),
      findKeptWorkspace: (organizationId, workspaceId) => findKeptWorkspace({ organizationId, workspaceId }),
      // This lock lets others insert rows that refer to the workspace.
      holdWorkspace: (organizationId, workspaceId) =>
        sql<Row>`
          select ${columns} from agent_platform.workspace
          where organization_id = ${organizationId} and id = ${workspaceId} and closed_at is null for no key update
        `.pipe(mapRows(workspaceTable.readFirst)),
      knownWorkspaces: (organizationId, ids) =>
        sql<{ readonly id: WorkspaceId }>`
          select id from agent_platform.workspace
          where organization_id = ${organizationId} and id = any(${uuids(ids)}) and closed_at is null
        `.pipe(mapRows((rows) => new Set(rows.map((row) => row.id)))),
      withRetention: (after, max) =>
        sql<Row>`
          select ${columns} from agent_platform.workspace
          where retention_days is not null and closed_at is null
            ${after === undefined ? sql.literal("") : sql`and id > ${after}`}
          order by id limit ${max}
        `.pipe(mapRows(workspaceTable.readAll))
    })
  })
)
