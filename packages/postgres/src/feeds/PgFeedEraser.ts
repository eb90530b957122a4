import { FeedEraser } from "@agent-platform/feeds"
import { ERASED_PERSON, type Erased } from "@agent-platform/kernel"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { texts, uuids } from "../columns.ts"
import { type ErasedTable, eraserOf } from "../erasing.ts"
import { layerSql } from "../layerSql.ts"
import { holdTally } from "./owners.ts"

const BLANK = "title = '', body = '', payload = '{}'"

const RELABELLED = `actor_label = '${ERASED_PERSON}', summary = replace(summary, actor_label, '${ERASED_PERSON}')`

/** Rows of a tenant. `where` gets their owner: the workspace, or the organization for what it has beside its workspaces. */
const ofTenant =
  (where: (organizationId: string, ownerId: string) => Fragment): ErasedTable["where"] =>
  (what) =>
    what._tag === "Tenant" ? where(what.organizationId, what.workspaceId ?? what.organizationId) : undefined

/** Whether a tenant is an organization. All of its read marks and readers are those of its workspaces, and are counted with these. */
const isOrganization = (what: Erased): boolean => what._tag === "Tenant" && what.workspaceId === null

const tables = (sql: SqlClient.SqlClient): ReadonlyArray<ErasedTable> => {
  /** The rows in which a workspace, or any of an organization, notes what it has read. */
  const ofReaders: ErasedTable["where"] = (what) => {
    if (what._tag !== "Tenant") return undefined
    return what.workspaceId === null
      ? sql`organization_id = ${what.organizationId}`
      : sql`organization_id = ${what.organizationId} and workspace_id = ${what.workspaceId}`
  }
  const aboutMembers = (what: Erased) =>
    what._tag === "Person"
      ? sql`resource_type = 'member' and (
          resource_id = any(${uuids(what.memberIds)}) or payload->>'email' = any(${texts(what.emails)})
        )`
      : undefined
  // Entries about erasures stay.
  const isOther = sql`action !~ '[.](erased|erasure_requested)$'`
  const entries: ErasedTable["where"] = (what) => {
    switch (what._tag) {
      case "Resources":
        return sql`resource_id = any(${uuids(what.ids)}) and organization_id = ${what.organizationId}
          and ${isOther}`
      case "Tenant":
        return what.workspaceId === null
          ? sql`owner_id = ${what.organizationId} and ${isOther}`
          : sql`workspace_id = ${what.workspaceId} and organization_id = ${what.organizationId} and ${isOther}`
      case "Person":
        return aboutMembers(what)
    }
  }
  return [
    { kind: "activity", table: "activity", key: ["id"], where: entries },
    {
      kind: "activity_by_person",
      table: "activity",
      key: ["id"],
      set: RELABELLED,
      where: (what) =>
        what._tag === "Person" && what.userId !== null
          ? sql`actor_type = 'user' and actor_id = ${what.userId}::uuid and actor_label <> ${ERASED_PERSON}`
          : undefined
    },
    {
      kind: "notifications",
      table: "notification",
      key: ["id"],
      set: BLANK,
      where: (what) =>
        what._tag === "Resources"
          ? sql`payload ? 'run_id' and payload->>'run_id' = any(${texts(what.ids)})
              and organization_id = ${what.organizationId}`
          : undefined
    },
    // Marks on notices of the tenant, by any workspace. They refer to the notices and so go before them; each is counted with the
    // workspace that made it.
    {
      kind: "read_marks",
      table: "notification_read",
      key: ["notification_id", "workspace_id"],
      isCountedElsewhere: () => true,
      where: ofTenant(
        (organizationId, ownerId) =>
          sql`notification_id in (
            select id from agent_platform.notification where owner_id = ${ownerId} and organization_id = ${organizationId}
          )`
      )
    },
    {
      kind: "notifications",
      table: "notification",
      key: ["id"],
      where: ofTenant((organizationId, ownerId) => sql`owner_id = ${ownerId} and organization_id = ${organizationId}`),
      free: sql`not exists (select from agent_platform.notification_read where notification_id = notification.id)`
    },
    // Marks that the tenant itself has made, on its own notices and others.
    {
      kind: "read_marks",
      table: "notification_read",
      key: ["notification_id", "workspace_id"],
      isCountedElsewhere: isOrganization,
      where: ofReaders
    },
    {
      kind: "readers",
      table: "notification_reader",
      key: ["organization_id", "workspace_id"],
      isCountedElsewhere: isOrganization,
      where: ofReaders
    },
    {
      kind: "readers",
      table: "notification_tally",
      // The table has no primary key: an organization's own row has no workspace.
      key: ["organization_id", "ctid"],
      where: ofTenant(
        (organizationId, ownerId) =>
          sql`coalesce(workspace_id, organization_id) = ${ownerId} and organization_id = ${organizationId}`
      )
    }
  ]
}

/** The eraser of the tables `activity`, `notification` and what is counted of notices. */
export const layer = layerSql(FeedEraser)((sql) => {
  const eraser = eraserOf(sql, tables(sql))
  return {
    count: eraser.count,
    // Filing copies the words of a failure into the notice that counts it. The lock waits for a filing under way, so that its copy is
    // found as well.
    erase: Effect.fnUntraced(function* (what, max) {
      if (what._tag === "Resources") yield* Effect.orDie(holdTally(sql, what))
      return yield* eraser.erase(what, max)
    })
  }
})
