import { type OrganizationId, toPage, type WorkspaceId } from "@agent-platform/kernel"
import { type ApiKeyId, ApiKeyStore, type KeyOwner, USE_APART_SECONDS } from "@agent-platform/keys"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { texts, timestamp, timestamps, uuids } from "../columns.ts"
import { text } from "../columnTypes.ts"
import { holdAndCount } from "../holdName.ts"
import { makeLookUp, type Placed } from "../makeLookUp.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { apiKeyTable } from "./apiKeyTable.ts"

const hashedTable = apiKeyTable.with<{ readonly hash: string }>({ hash: text() })

/** The columns that a change of a key may write. */
const changeable = apiKeyTable.pick(
  "name",
  "scopes",
  "organizationRole",
  "allowedIps",
  "rateLimit",
  "metadata",
  "disabled",
  "version",
  "expiresAt",
  "replacedBy"
)

interface HashLookUp {
  readonly hash: string
  readonly workspaceId: WorkspaceId | null
}

interface MakerLookUp {
  readonly organizationId: OrganizationId
  readonly id: ApiKeyId
}

/** API keys in the table `api_key`. */
export const layer: Layer.Layer<ApiKeyStore, never, SqlClient.SqlClient> = Layer.effect(
  ApiKeyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(apiKeyTable.selected)
    // `is not distinct from` would cover both cases, but uses no index.
    const isOf = (owner: KeyOwner) =>
      owner.workspaceId === null
        ? sql`organization_id = ${owner.organizationId} and workspace_id is null`
        : sql`organization_id = ${owner.organizationId} and workspace_id = ${owner.workspaceId}`

    const find: ApiKeyStore["Service"]["find"] = (owner, id) =>
      sql<Row>`select ${columns} from agent_platform.api_key where ${isOf(owner)} and id = ${id}`.pipe(
        mapRows(apiKeyTable.readFirst)
      )

    /** The descendants of a key: one index look-up for each. */
    const descendantsOf = (organizationId: OrganizationId, id: ApiKeyId) => sql`
      recursive descendant as (
        select id from agent_platform.api_key where organization_id = ${organizationId} and created_by_id = ${id}::text
          and bound_type is null
        union
        select made.id from descendant
        join agent_platform.api_key as made on made.organization_id = ${organizationId} and made.created_by_id = descendant.id::text
          and made.bound_type is null
      )
    `

    // `own` is the key's workspace, `workspace` the one that the request names. A closed one counts as not there.
    const findByHash = yield* makeLookUp(sql, {
      idOf: ({ hash, workspaceId }: HashLookUp) => `${hash} ${workspaceId}`,
      read: (keys) => sql<Row & Placed & { readonly workspace_found: boolean }>`
        select ${columns}, workspace.id is not null as workspace_found, asked.place
        from unnest(${texts(keys.map(({ hash }) => hash))}, ${uuids(keys.map(({ workspaceId }) => workspaceId))})
          with ordinality as asked (hash, workspace_id, place)
        join agent_platform.api_key on api_key.hash = asked.hash
        join agent_platform.organization on organization.id = api_key.organization_id and organization.closed_at is null
        left join agent_platform.workspace as own on own.organization_id = api_key.organization_id
          and own.id = api_key.workspace_id
        left join agent_platform.workspace on workspace.organization_id = api_key.organization_id
          and workspace.id = asked.workspace_id and workspace.closed_at is null
        where own.closed_at is null
      `,
      toFound: (row) => ({ key: apiKeyTable.read(row), workspaceFound: row.workspace_found })
    })

    const findMaker = yield* makeLookUp(sql, {
      idOf: ({ id, organizationId }: MakerLookUp) => `${organizationId} ${id}`,
      read: (keys) => sql<Row & Placed>`
        select ${columns}, asked.place
        from unnest(${uuids(keys.map(({ organizationId }) => organizationId))}, ${uuids(keys.map(({ id }) => id))})
          with ordinality as asked (organization_id, id, place)
        join agent_platform.api_key using (organization_id, id)
      `,
      toFound: apiKeyTable.read
    })

    return ApiKeyStore.of({
      // By the indexes api_key_live and api_key_temporary no revoked or expired key is looked at, however many there are.
      holdCount: (owner, which, now, max) => {
        const isLive =
          which === "temporary"
            ? sql`bound_type is not null and expires_at > ${timestamp(now)}`
            : sql`bound_type is null and coalesce(expires_at, 'infinity') > ${timestamp(now)}`
        const live = sql`agent_platform.api_key where ${isOf(owner)} and revoked_at is null and ${isLive}`
        const name = which === "temporary" ? "temporary_api_key" : "api_key"
        return holdAndCount(sql, `${name}:${owner.workspaceId ?? owner.organizationId}`, live, max)
      },

      insert: (key, hash) =>
        sql`
          insert into agent_platform.api_key (${sql.literal(hashedTable.names)}) ${hashedTable.rowsOf([{ ...key, hash }])}
        `.pipe(Effect.orDie, Effect.asVoid),

      findByHash: (hash, workspaceId) => findByHash({ hash, workspaceId: workspaceId ?? null }),

      find,

      findMaker: (organizationId, id) => findMaker({ organizationId, id }),

      hold: (organizationId, ids) =>
        sql<Row>`
          select ${columns} from agent_platform.api_key where organization_id = ${organizationId} and id = any(${uuids(ids)})
          order by id for no key update
        `.pipe(mapRows(apiKeyTable.readAll)),

      list: (owner, page) =>
        sql<Row>`
          select ${columns} from agent_platform.api_key
          where ${isOf(owner)} and reads_type is null ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(mapRows((rows) => toPage(apiKeyTable.readAll(rows), page.limit, (key) => key.id))),

      replace: (key) =>
        sql`
          update agent_platform.api_key set ${sql.literal(changeable.assignedFrom("changed"))}
          from (${changeable.rowsOf([key])}) as changed
          where ${isOf(key)} and id = ${key.id} and api_key.version = ${key.version - 1}
          returning id
        `.pipe(mapRows((rows) => rows.length > 0)),

      revoke: Effect.fnUntraced(function* (owner, id, at) {
        const [row] = yield* sql<Row>`
          update agent_platform.api_key set version = version + 1, revoked_at = ${timestamp(at)}
          where ${isOf(owner)} and id = ${id} and revoked_at is null
          returning ${columns}
        `.pipe(Effect.orDie)
        if (row !== undefined) return { key: apiKeyTable.read(row), isFirst: true }
        const key = yield* find(owner, id)
        return key && { key, isFirst: false }
      }),

      revokeDescendants: (organizationId, id, at, max) =>
        sql<Row>`
          with ${descendantsOf(organizationId, id)}, due as (
            select api_key.id from descendant
            join agent_platform.api_key on api_key.organization_id = ${organizationId} and api_key.id = descendant.id
            where api_key.revoked_at is null
            order by api_key.id limit ${max} for no key update of api_key
          )
          update agent_platform.api_key set version = version + 1, revoked_at = ${timestamp(at)}
          from due where api_key.organization_id = ${organizationId} and api_key.id = due.id
          returning ${columns}
        `.pipe(mapRows(apiKeyTable.readAll)),

      countDescendants: (organizationId, id) =>
        sql<{ readonly count: number }>`
          with ${descendantsOf(organizationId, id)} select count(*)::int as count from descendant
        `.pipe(mapRows(([row]) => row?.count ?? 0)),

      // Locked rows are skipped: the time of the last use is not worth a wait, nor a deadlock between two writers. `is_first`: whether it
      // is the first use in its hour.
      noteUses: (uses) =>
        sql<{ readonly id: ApiKeyId; readonly is_first: boolean }>`
          with due as (
            select api_key.organization_id, api_key.id, used.at,
              coalesce(api_key.last_used_at < date_bin('1 hour', used.at, 'epoch'), true) as is_first
            from unnest(
              ${uuids(uses.map((use) => use.organizationId))}, ${uuids(uses.map((use) => use.id))},
              ${timestamps(uses.map((use) => use.at))}
            ) as used (organization_id, id, at)
            join agent_platform.api_key using (organization_id, id)
            where api_key.last_used_at is null
              or api_key.last_used_at <= used.at - make_interval(secs => ${USE_APART_SECONDS})
            for no key update of api_key skip locked
          )
          update agent_platform.api_key set last_used_at = due.at
          from due
          where api_key.organization_id = due.organization_id and api_key.id = due.id
          returning api_key.id, due.is_first
        `.pipe(mapRows((rows) => rows.flatMap(({ id, is_first }) => (is_first ? [id] : [])))),

      // `expiry_warned` is the expiry that was last warned of, so a key whose expiry was moved is taken again. Keys that live no longer
      // than `lifetimeHours` are never taken.
      takeExpiring: ({ lifetimeHours, now, until }, max) =>
        sql<Row>`
          with due as (
            select organization_id, id from agent_platform.api_key
            where revoked_at is null and replaced_by is null and not disabled
              and expires_at is distinct from expiry_warned
              and expires_at > ${timestamp(now)} and expires_at <= ${timestamp(until)}
              and expires_at > created_at + make_interval(hours => ${lifetimeHours}) and bound_type is null
            order by expires_at limit ${max} for no key update skip locked
          )
          update agent_platform.api_key set expiry_warned = api_key.expires_at
          from due where api_key.organization_id = due.organization_id and api_key.id = due.id
          returning ${columns}
        `.pipe(mapRows(apiKeyTable.readAll)),

      pruneTemporary: (expiredBy, max) =>
        sql<{ readonly count: number }>`
          with over as (
            select organization_id, id from agent_platform.api_key
            where bound_type is not null and expires_at <= ${timestamp(expiredBy)}
            order by expires_at limit ${max} for update skip locked
          ), gone as (
            delete from agent_platform.api_key using over
            where api_key.organization_id = over.organization_id and api_key.id = over.id returning 1
          )
          select count(*)::int as count from gone
        `.pipe(mapRows(([row]) => row?.count ?? 0))
    })
  })
)
