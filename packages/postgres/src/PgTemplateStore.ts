import { type SealedTemplate, type Template, type TemplateMember, TemplateStore, toPage } from "@agent-platform/kernel"
import { Effect } from "effect"
import { integer, json, nullable, text, texts, timestamptz, uuid } from "./columnTypes.ts"
import { holdAndCount } from "./holdName.ts"
import { layerSql } from "./layerSql.ts"
import { mapRows } from "./mapRows.ts"
import { group, makeTable, type Row } from "./table.ts"

const templateTable = makeTable<Template>("template", {
  id: uuid(),
  organizationId: uuid(),
  kind: text(),
  settings: json(),
  version: integer(),
  valueVersion: integer(),
  createdAt: timestamptz(),
  createdBy: group("created_by_", { type: text(), id: text() }),
  updatedAt: timestamptz(),
  spread: group("spread_", {
    after: nullable(uuid()),
    done: integer(),
    total: integer(),
    turns: integer(),
    endedAt: nullable(timestamptz())
  })
})

const sealedTable = templateTable.with<{ readonly sealed: string | null }>({ sealed: nullable(text()) })

const changeable = templateTable.pick("settings", "version", "valueVersion", "updatedAt", "spread")

const memberTable = makeTable<TemplateMember>("template_member", {
  organizationId: uuid(),
  workspaceId: uuid(),
  templateId: uuid(),
  resourceId: nullable(uuid()),
  version: integer(),
  overridden: texts(),
  fault: nullable(text())
})

const readSealed = (rows: ReadonlyArray<Row>): ReadonlyArray<SealedTemplate> =>
  sealedTable.readAll(rows).map(({ sealed, ...template }) => ({ template, sealed }))

/** Templates in the tables `template` and `template_member`. */
export const layer = layerSql(TemplateStore)((sql) => {
  const columns = sql.literal(sealedTable.selected)
  const memberColumns = sql.literal(memberTable.selected)

  return {
    holdCount: (organizationId, max) =>
      holdAndCount(
        sql,
        `templates:${organizationId}`,
        sql`agent_platform.template where organization_id = ${organizationId}`,
        max
      ),

    insert: (template, sealed) =>
      sql`
        insert into agent_platform.template (${sql.literal(sealedTable.names)})
        ${sealedTable.rowsOf([{ ...template, sealed }])}
      `.pipe(Effect.orDie, Effect.asVoid),

    find: (organizationId, kind, id) =>
      sql<Row>`
        select ${columns} from agent_platform.template
        where organization_id = ${organizationId} and id = ${id} and kind = ${kind}
      `.pipe(mapRows(templateTable.readFirst)),

    list: (organizationId, kind, page) =>
      sql<Row>`
        select ${columns} from agent_platform.template
        where organization_id = ${organizationId} and kind = ${kind}
          ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
        order by id desc limit ${page.limit + 1}
      `.pipe(mapRows((rows) => toPage(templateTable.readAll(rows), page.limit, ({ id }) => id))),

    findToChange: (organizationId, id) =>
      sql<Row>`
        select ${columns} from agent_platform.template
        where organization_id = ${organizationId} and id = ${id} for update
      `.pipe(mapRows((rows) => readSealed(rows)[0])),

    findToFollow: (organizationId, id) =>
      sql<Row>`
        select ${columns} from agent_platform.template
        where organization_id = ${organizationId} and id = ${id} for share
      `.pipe(mapRows((rows) => readSealed(rows)[0])),

    allToFollow: (organizationId) =>
      sql<Row>`
        select ${columns} from agent_platform.template
        where organization_id = ${organizationId} order by id for share
      `.pipe(mapRows(readSealed)),

    update: (template, sealed) =>
      sql`
        update agent_platform.template set ${sql.literal(changeable.assignedFrom("changed"))},
          sealed = ${sealed === undefined ? sql.literal("template.sealed") : sql`${sealed}::text`}
        from (${changeable.rowsOf([template])}) as changed
        where organization_id = ${template.organizationId} and id = ${template.id}
      `.pipe(Effect.orDie, Effect.asVoid),

    remove: (organizationId, id) =>
      sql`
        delete from agent_platform.template where organization_id = ${organizationId} and id = ${id}
      `.pipe(Effect.orDie, Effect.asVoid),

    holdMember: (workspaceId, templateId) =>
      sql<Row>`
        select ${memberColumns} from agent_platform.template_member
        where workspace_id = ${workspaceId} and template_id = ${templateId} for update
      `.pipe(mapRows(memberTable.readFirst)),

    holdMemberOf: (workspaceId, resourceId) =>
      sql<Row>`
        select ${memberColumns} from agent_platform.template_member
        where workspace_id = ${workspaceId} and resource_id = ${resourceId} for update
      `.pipe(mapRows(memberTable.readFirst)),

    putMember: (member) =>
      sql`
        insert into agent_platform.template_member (${sql.literal(memberTable.names)}) ${memberTable.rowsOf([member])}
        on conflict (workspace_id, template_id) do update set
          resource_id = excluded.resource_id, version = excluded.version, overridden = excluded.overridden,
          fault = excluded.fault
      `.pipe(Effect.orDie, Effect.asVoid),

    members: (organizationId, templateId, after, limit) =>
      sql<Row>`
        select ${memberColumns} from agent_platform.template_member
        where organization_id = ${organizationId} and template_id = ${templateId}
          ${after === undefined ? sql.literal("") : sql`and workspace_id > ${after}`}
        order by workspace_id limit ${limit}
      `.pipe(mapRows(memberTable.readAll)),

    everyValue: (after, limit) =>
      sql<Row>`
        select ${columns} from agent_platform.template
        where sealed is not null ${after === undefined ? sql.literal("") : sql`and id > ${after}`}
        order by id limit ${limit}
      `.pipe(mapRows((rows) => readSealed(rows) as ReadonlyArray<SealedTemplate & { readonly sealed: string }>)),

    replaceSealed: (value, resealed) =>
      sql`
        update agent_platform.template set sealed = ${resealed}
        where id = ${value.position} and sealed = ${value.sealed}
        returning id
      `.pipe(mapRows((rows) => rows.length > 0))
  }
})
