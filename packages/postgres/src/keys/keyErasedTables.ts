import { ERASED_PERSON, type Erased } from "@agent-platform/kernel"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { uuids } from "../columns.ts"
import type { ErasedTable } from "../erasing.ts"

/**
 * Rows of tenants and people in the tables of keys, in the order in which they are erased. Keys that a person made and members that
 * they invited stay, without the person's name.
 */
export const keyErasedTables = (sql: SqlClient.SqlClient): ReadonlyArray<ErasedTable> => {
  const ofWorkspace =
    (where: (organizationId: string, workspaceId: string) => Fragment): ErasedTable["where"] =>
    (what) =>
      what._tag === "Tenant" && what.workspaceId !== null ? where(what.organizationId, what.workspaceId) : undefined
  const ofOrganization =
    (where: (organizationId: string) => Fragment): ErasedTable["where"] =>
    (what) =>
      what._tag === "Tenant" && what.workspaceId === null ? where(what.organizationId) : undefined
  const ofTenant: ErasedTable["where"] = (what) =>
    what._tag !== "Tenant"
      ? undefined
      : what.workspaceId === null
        ? sql`organization_id = ${what.organizationId} and workspace_id is null`
        : sql`organization_id = ${what.organizationId} and workspace_id = ${what.workspaceId}`

  const inTheWorkspace = ofWorkspace(
    (organizationId, workspaceId) => sql`organization_id = ${organizationId} and workspace_id = ${workspaceId}`
  )
  const maker = (type: string, id: string, label: string): ErasedTable["where"] => {
    const [typeColumn, idColumn, labelColumn] = [sql.literal(type), sql.literal(id), sql.literal(label)]
    return (what: Erased) =>
      what._tag === "Person" && what.userId !== null
        ? sql`${typeColumn} = 'user' and ${idColumn} = ${what.userId} and ${labelColumn} <> ${ERASED_PERSON}`
        : undefined
  }
  const createdBy = maker("created_by_type", "created_by_id", "created_by_label")
  const relabelled = `created_by_label = '${ERASED_PERSON}'`

  return [
    {
      kind: "workspace_grants",
      table: "member_workspace",
      key: ["organization_id", "member_id", "workspace_id"],
      where: inTheWorkspace
    },
    { kind: "provider_keys", table: "provider_key", key: ["workspace_id", "id"], where: inTheWorkspace },
    { kind: "tool_secrets", table: "tool_secret", key: ["workspace_id", "id"], where: inTheWorkspace },
    {
      kind: "template_members",
      table: "template_member",
      key: ["workspace_id", "template_id"],
      where: inTheWorkspace
    },
    {
      kind: "templates",
      table: "template",
      key: ["organization_id", "id"],
      where: ofOrganization((organizationId) => sql`organization_id = ${organizationId}`)
    },
    { kind: "rate_counts", table: "workspace_rate", key: ["organization_id", "workspace_id"], where: inTheWorkspace },
    {
      kind: "rate_counts",
      table: "api_key_rate",
      key: ["organization_id", "key_id"],
      where: (what) => {
        const keys = ofTenant(what)
        return (
          keys &&
          sql`exists (
            select from agent_platform.api_key where api_key.organization_id = api_key_rate.organization_id
              and api_key.id = api_key_rate.key_id and ${keys}
          )`
        )
      }
    },
    // Login sessions and grants are deleted together with their members.
    {
      kind: "members",
      table: "member",
      key: ["organization_id", "id"],
      where: (what) =>
        what._tag === "Person"
          ? sql`id = any(${uuids(what.memberIds)})`
          : ofOrganization((organizationId) => sql`organization_id = ${organizationId}`)(what)
    },
    // A replaced key refers to its successor, so that reference goes before the keys themselves.
    {
      kind: "successions",
      table: "api_key",
      key: ["organization_id", "id"],
      set: "replaced_by = null",
      where: (what) => {
        const keys = ofTenant(what)
        return keys && sql`${keys} and replaced_by is not null`
      }
    },
    {
      kind: "api_keys",
      table: "api_key",
      key: ["organization_id", "id"],
      where: ofTenant,
      free: sql`replaced_by is null`
    },
    {
      kind: "login_identities",
      table: "app_user",
      key: ["id"],
      where: (what) => (what._tag === "Person" && what.userId !== null ? sql`id = ${what.userId}` : undefined)
    },
    { kind: "made_keys", table: "api_key", key: ["organization_id", "id"], set: relabelled, where: createdBy },
    { kind: "made_keys", table: "provider_key", key: ["workspace_id", "id"], set: relabelled, where: createdBy },
    {
      kind: "made_tool_secrets",
      table: "tool_secret",
      key: ["workspace_id", "id"],
      set: relabelled,
      where: createdBy
    },
    {
      kind: "invitations_made",
      table: "member",
      key: ["organization_id", "id"],
      set: `invited_by_label = '${ERASED_PERSON}'`,
      where: maker("invited_by_type", "invited_by_id", "invited_by_label")
    }
  ]
}
