import { type OrganizationId, toPage, type WorkspaceId } from "@agent-platform/kernel"
import { type Organization, TenancyStore, type Workspace } from "@agent-platform/keys"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { nullableTimestamp, readTimestamp, timestamp, uuids } from "../columns.ts"
import { makeLookUp, type Placed } from "../makeLookUp.ts"
import { readNullableMoney } from "../money.ts"

interface OrganizationRow {
  readonly id: OrganizationId
  readonly name: string
  readonly created_at: Date
}

interface WorkspaceRow {
  readonly id: WorkspaceId
  readonly organization_id: OrganizationId
  readonly name: string
  readonly timezone: string
  readonly next_timezone: string | null
  readonly next_timezone_from: Date | null
  readonly monthly_cap_usd: string | null
  readonly allow_platform_keys: boolean
  readonly created_at: Date
}

const COLUMNS = `organization_id, id, name, timezone, next_timezone, next_timezone_from, monthly_cap_usd,
  allow_platform_keys, created_at`

interface WorkspaceLookUp {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

const toOrganization = (row: OrganizationRow): Organization => ({
  id: row.id,
  name: row.name,
  createdAt: readTimestamp(row.created_at)
})

const toWorkspace = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  timezone: row.timezone,
  nextTimezone:
    row.next_timezone === null || row.next_timezone_from === null
      ? null
      : { timezone: row.next_timezone, from: readTimestamp(row.next_timezone_from) },
  monthlyCapUsd: readNullableMoney(row.monthly_cap_usd),
  allowPlatformKeys: row.allow_platform_keys,
  createdAt: readTimestamp(row.created_at)
})

/** Organizations and workspaces in tables of these names. */
export const layer: Layer.Layer<TenancyStore, never, SqlClient.SqlClient> = Layer.effect(
  TenancyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const findWorkspace = yield* makeLookUp(sql, {
      idOf: ({ organizationId, workspaceId }: WorkspaceLookUp) => `${workspaceId} ${organizationId}`,
      read: (keys) => sql<WorkspaceRow & Placed>`
        select ${sql.literal(COLUMNS)}, asked.place
        from unnest(
          ${uuids(keys.map(({ organizationId }) => organizationId))},
          ${uuids(keys.map(({ workspaceId }) => workspaceId))}
        ) with ordinality as asked (organization_id, id, place)
        join workspace using (organization_id, id)
      `,
      toFound: toWorkspace
    })
    // To list them, the database reads a file for each: about 50 ms, once for every zone that is in use.
    const knownZones = new Set<string>()
    return TenancyStore.of({
      insertOrganization: (organization) =>
        sql`
          insert into organization (id, name, created_at)
          values (${organization.id}, ${organization.name}, ${timestamp(organization.createdAt)})
        `.pipe(Effect.orDie, Effect.asVoid),
      holdWorkspaces: Effect.fnUntraced(function* (organizationId, max) {
        yield* sql`select pg_advisory_xact_lock(hashtextextended(${`workspace:${organizationId}`}, 0))`
        const [row] = yield* sql<{ readonly count: number }>`
          select count(*)::int as count from (
            select from workspace where organization_id = ${organizationId} limit ${max}
          ) as mine
        `
        return row?.count ?? 0
      }, Effect.orDie),

      insertWorkspace: (workspace) =>
        sql`
          insert into workspace (
            organization_id, id, name, timezone, next_timezone, next_timezone_from, monthly_cap_usd, allow_platform_keys,
            created_at
          ) values (
            ${workspace.organizationId}, ${workspace.id}, ${workspace.name}, ${workspace.timezone},
            ${workspace.nextTimezone?.timezone ?? null}, ${nullableTimestamp(workspace.nextTimezone?.from ?? null)},
            ${workspace.monthlyCapUsd}, ${workspace.allowPlatformKeys}, ${timestamp(workspace.createdAt)}
          )
        `.pipe(Effect.orDie, Effect.asVoid),
      updateWorkspace: (workspace) =>
        sql`
          update workspace set
            name = ${workspace.name}, timezone = ${workspace.timezone},
            next_timezone = ${workspace.nextTimezone?.timezone ?? null},
            next_timezone_from = ${nullableTimestamp(workspace.nextTimezone?.from ?? null)},
            monthly_cap_usd = ${workspace.monthlyCapUsd}, allow_platform_keys = ${workspace.allowPlatformKeys}
          where organization_id = ${workspace.organizationId} and id = ${workspace.id}
        `.pipe(Effect.orDie, Effect.asVoid),
      findOrganization: (id) =>
        sql<OrganizationRow>`select id, name, created_at from organization where id = ${id}`.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toOrganization(row))
        ),
      renameOrganization: (id, name) =>
        sql<OrganizationRow>`update organization set name = ${name} where id = ${id} returning id, name, created_at`.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toOrganization(row))
        ),
      // `at time zone` takes more than names: abbreviations and POSIX rules, which would be read the other way round.
      knowsTimezone: Effect.fnUntraced(function* (timezone) {
        if (knownZones.has(timezone)) return true
        const [row] = yield* Effect.orDie(sql<{ readonly known: boolean }>`
          select exists (select from pg_timezone_names where lower(name) = lower(${timezone})) as known
        `)
        if (row?.known === true) knownZones.add(timezone)
        return row?.known === true
      }),
      // Used by an operator, by hand: a few organizations need no index by name.
      findOrganizationNamed: (name) =>
        sql<OrganizationRow>`select id, name, created_at from organization where name = ${name} order by id limit 1`.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toOrganization(row))
        ),
      listOrganizations: (page) =>
        sql<OrganizationRow>`
          select id, name, created_at from organization
          ${page.before === undefined ? sql.literal("") : sql`where id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => toPage(rows.map(toOrganization), page.limit, (organization) => organization.id))
        ),
      listWorkspaces: (organizationId, page) =>
        sql<WorkspaceRow>`
          select ${sql.literal(COLUMNS)} from workspace
          where organization_id = ${organizationId}
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => toPage(rows.map(toWorkspace), page.limit, (workspace) => workspace.id))
        ),
      findWorkspace: (organizationId, workspaceId) => findWorkspace({ organizationId, workspaceId }),
      // Rows that refer to the workspace may still be inserted meanwhile.
      holdWorkspace: (organizationId, workspaceId) =>
        sql<WorkspaceRow>`
          select ${sql.literal(COLUMNS)} from workspace
          where organization_id = ${organizationId} and id = ${workspaceId} for no key update
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toWorkspace(row))
        ),
      knownWorkspaces: (organizationId, ids) =>
        sql<{ readonly id: WorkspaceId }>`
          select id from workspace where organization_id = ${organizationId} and id = any(${uuids(ids)})
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => new Set(rows.map((row) => row.id)))
        )
    })
  })
)
