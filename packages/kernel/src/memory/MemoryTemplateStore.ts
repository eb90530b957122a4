import { Effect } from "effect"
import { TemplateStore } from "../ports/TemplateStore.ts"
import type { SealedTemplate, TemplateMember } from "../Template.ts"
import { layerMemory, type MemoryDatabase } from "./MemoryDatabase.ts"
import { newestFirst } from "./newestFirst.ts"

/** The key of a workspace's part in a template. */
export const memberPlace = ({ templateId, workspaceId }: Pick<TemplateMember, "templateId" | "workspaceId">): string =>
  `${workspaceId} ${templateId}`

/** The tables of templates. */
export const templateTables = (database: MemoryDatabase["Service"]) => ({
  templates: database.table<SealedTemplate>("template"),
  members: database.table<TemplateMember>("template_member")
})

const byId = (one: SealedTemplate, other: SealedTemplate): number => (one.template.id < other.template.id ? -1 : 1)

/** Templates over a `MemoryDatabase`. Transactions run one after another, which is hold enough. */
export const layerTemplateStore = layerMemory(TemplateStore)((database) => {
  const { members, templates } = templateTables(database)
  const ofOrganization = (organizationId: string) =>
    Effect.map(templates.all, (rows) => rows.filter(({ template }) => template.organizationId === organizationId))
  const sealedOf = (organizationId: string, id: string) =>
    Effect.map(templates.get(id), (row) => (row?.template.organizationId === organizationId ? row : undefined))

  return {
    holdCount: (organizationId, max) =>
      Effect.map(ofOrganization(organizationId), (rows) => Math.min(rows.length, max)),

    insert: (template, sealed) => templates.put(template.id, { template, sealed }),

    find: (organizationId, kind, id) =>
      Effect.map(sealedOf(organizationId, id), (row) => (row?.template.kind === kind ? row.template : undefined)),

    list: (organizationId, kind, page) =>
      Effect.map(ofOrganization(organizationId), (rows) =>
        newestFirst(
          rows.map(({ template }) => template).filter((template) => template.kind === kind),
          page
        )
      ),

    findToChange: sealedOf,

    findToFollow: sealedOf,

    allToFollow: (organizationId) => Effect.map(ofOrganization(organizationId), (rows) => rows.toSorted(byId)),

    update: Effect.fnUntraced(function* ({ id, organizationId, ...changed }, sealed) {
      const row = yield* sealedOf(organizationId, id)
      if (row === undefined) return
      const { settings, spread, updatedAt, valueVersion, version } = changed
      const template = { ...row.template, settings, spread, updatedAt, valueVersion, version }
      yield* templates.put(id, { template, sealed: sealed === undefined ? row.sealed : sealed })
    }),

    remove: Effect.fnUntraced(function* (organizationId, id) {
      if ((yield* sealedOf(organizationId, id)) === undefined) return
      yield* templates.remove(id)
      for (const member of yield* members.all) if (member.templateId === id) yield* members.remove(memberPlace(member))
    }),

    holdMember: (workspaceId, templateId) => members.get(memberPlace({ workspaceId, templateId })),

    holdMemberOf: (workspaceId, resourceId) =>
      Effect.map(members.all, (rows) =>
        rows.find((member) => member.workspaceId === workspaceId && member.resourceId === resourceId)
      ),

    putMember: (member) => members.put(memberPlace(member), member),

    members: (organizationId, templateId, after, limit) =>
      Effect.map(members.all, (rows) =>
        rows
          .filter((member) => member.organizationId === organizationId && member.templateId === templateId)
          .filter(({ workspaceId }) => after === undefined || workspaceId > after)
          .toSorted((one, other) => (one.workspaceId < other.workspaceId ? -1 : 1))
          .slice(0, limit)
      ),

    everyValue: (after, limit) =>
      Effect.map(templates.all, (rows) =>
        rows
          .flatMap(({ sealed, template }) => (sealed === null ? [] : [{ template, sealed }]))
          .filter(({ template }) => after === undefined || template.id > after)
          .toSorted(byId)
          .slice(0, limit)
      ),

    replaceSealed: Effect.fnUntraced(function* (value, resealed) {
      const row = yield* templates.get(value.position)
      if (row?.sealed !== value.sealed) return false
      yield* templates.put(value.position, { ...row, sealed: resealed })
      return true
    })
  }
})
