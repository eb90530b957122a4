import {
  addCounts,
  ERASED_PERSON,
  type Erased,
  type ErasedPerson,
  portionOf,
  type SealedTemplate,
  type TemplateMember
} from "@agent-platform/kernel"
import { countWhere, eraseWhere, layerMemory, type MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import type { ApiKey } from "../ApiKey.ts"
import type { LoginSession } from "../LoginSession.ts"
import type { Member } from "../Member.ts"
import type { ProviderKey } from "../ProviderKey.ts"
import { KeyEraser } from "../ports/KeyEraser.ts"
import type { ToolSecret } from "../ToolSecret.ts"
import type { Organization, Workspace } from "../Workspace.ts"
import { closures } from "./closures.ts"
import { type MemberRow, memberKey, memberTables, userKey } from "./MemoryMemberStore.ts"

type Maker = ApiKey["createdBy"]

/** Whether this maker is the erased person and still has a name. */
const isMadeBy = (what: Erased, { id, label, type }: Maker): boolean =>
  what._tag === "Person" && what.userId === id && type === "user" && label !== ERASED_PERSON

const isOfTenant = (
  what: Erased,
  { organizationId, workspaceId }: { readonly organizationId: string; readonly workspaceId: string | null }
): boolean => what._tag === "Tenant" && what.organizationId === organizationId && what.workspaceId === workspaceId

const isOfOrganization = (what: Erased, { organizationId }: { readonly organizationId: string }): boolean =>
  isOfTenant(what, { organizationId, workspaceId: null })

const keyOf = ({ member }: MemberRow): string => memberKey(member.organizationId, member.id)

/** The row without the name of its maker, whose id stays. */
const unnamed = <Row extends { readonly createdBy: Maker }>(row: Row): Row => ({
  ...row,
  createdBy: { ...row.createdBy, label: ERASED_PERSON }
})

/** The tables of keys and people, and the test for the members that an erasure is about. */
const tables = (database: MemoryDatabase["Service"]) => {
  const keys = database.table<{ readonly key: ApiKey; readonly hash: string }>("api_key")
  const providerKeys = database.table<{ readonly key: ProviderKey }>("provider_key")
  const toolSecrets = database.table<{ readonly secret: ToolSecret }>("tool_secret")
  const templates = database.table<SealedTemplate>("template")
  const templateMembers = database.table<TemplateMember>("template_member")
  const sessions = database.table<{ readonly session: LoginSession; readonly hash: string }>("login_session")
  const { members, users } = memberTables(database)
  const isMember = (what: Erased, { member }: MemberRow) =>
    what._tag === "Person"
      ? what.memberIds.includes(member.id)
      : isOfTenant(what, { organizationId: member.organizationId, workspaceId: null })
  return { isMember, keys, members, providerKeys, sessions, templateMembers, templates, toolSecrets, users }
}

/** The eraser of keys, people and tenants over a `MemoryDatabase`. */
export const layerKeyEraser = layerMemory(KeyEraser)((database) => {
  const { isMember, keys, members, providerKeys, sessions, templateMembers, templates, toolSecrets, users } =
    tables(database)
  const organizations = database.table<Organization>("organization")
  const workspaces = database.table<Workspace>("workspace")
  const closed = closures(database)

  const endSessionsOf = (memberIds: ReadonlyArray<string>) =>
    eraseWhere(
      sessions,
      ({ session }) => session.id,
      ({ session }) => memberIds.includes(session.memberId),
      Number.POSITIVE_INFINITY
    )

  /** Erases members with their sessions, and the identities of people who are members of no organization any more. */
  const eraseMembers = Effect.fnUntraced(function* (what: Erased, max: number) {
    const meant = (yield* members.all).filter((row) => isMember(what, row)).slice(0, max)
    yield* endSessionsOf(meant.map(({ member }) => member.id))
    for (const { member } of meant) yield* members.remove(memberKey(member.organizationId, member.id))
    const stillMembers = new Set((yield* members.all).map(({ userId }) => userId))
    const strangers = meant.flatMap(({ userId }) => (userId === null || stillMembers.has(userId) ? [] : [userId]))
    // The identity of an erased person goes even if there is no member left to find it by.
    const userId = what._tag === "Person" ? what.userId : null
    const ids = userId === null ? strangers : [userId]
    const login_identities = yield* eraseWhere(users, userKey, ({ id }) => ids.includes(id), max)
    return { members: meant.length, login_identities }
  })

  const eraseGrants = Effect.fnUntraced(function* (what: Erased) {
    if (what._tag !== "Tenant" || what.workspaceId === null) return 0
    const { workspaceId } = what
    const isGranted = ({ member }: MemberRow) => member.workspaces.some((grant) => grant.workspaceId === workspaceId)
    const without = (row: MemberRow): MemberRow => {
      const left: Member["workspaces"] = row.member.workspaces.filter((grant) => grant.workspaceId !== workspaceId)
      return { ...row, member: { ...row.member, workspaces: left } }
    }
    return yield* eraseWhere(members, keyOf, isGranted, Number.POSITIVE_INFINITY, without)
  })

  return {
    count: Effect.fnUntraced(function* (what, max) {
      return {
        members: yield* countWhere(members, (row) => isMember(what, row), max),
        api_keys: yield* countWhere(keys, ({ key }) => isOfTenant(what, key), max),
        provider_keys: yield* countWhere(providerKeys, ({ key }) => isOfTenant(what, key), max),
        tool_secrets: yield* countWhere(toolSecrets, ({ secret }) => isOfTenant(what, secret), max),
        template_members: yield* countWhere(templateMembers, (member) => isOfTenant(what, member), max),
        templates: yield* countWhere(templates, ({ template }) => isOfOrganization(what, template), max),
        made_keys:
          (yield* countWhere(keys, ({ key }) => isMadeBy(what, key.createdBy), max)) +
          (yield* countWhere(providerKeys, ({ key }) => isMadeBy(what, key.createdBy), max)),
        made_tool_secrets: yield* countWhere(toolSecrets, ({ secret }) => isMadeBy(what, secret.createdBy), max)
      }
    }),

    erase: Effect.fnUntraced(function* (what, max) {
      const people = yield* eraseMembers(what, max)
      const isMade = ({ key }: { readonly key: { readonly createdBy: Maker } }) => isMadeBy(what, key.createdBy)
      const withUnnamedKey = <Row extends { readonly key: { readonly createdBy: Maker } }>(row: Row): Row => ({
        ...row,
        key: unnamed(row.key)
      })
      return portionOf(
        what,
        addCounts(
          people,
          {
            workspace_grants: yield* eraseGrants(what),
            api_keys: yield* eraseWhere(
              keys,
              ({ key }) => key.id,
              ({ key }) => isOfTenant(what, key),
              max
            ),
            provider_keys: yield* eraseWhere(
              providerKeys,
              ({ key }) => key.id,
              ({ key }) => isOfTenant(what, key),
              max
            ),
            tool_secrets: yield* eraseWhere(
              toolSecrets,
              ({ secret }) => secret.id,
              ({ secret }) => isOfTenant(what, secret),
              max
            ),
            template_members: yield* eraseWhere(
              templateMembers,
              ({ templateId, workspaceId }) => `${workspaceId} ${templateId}`,
              (member) => isOfTenant(what, member),
              max
            ),
            templates: yield* eraseWhere(
              templates,
              ({ template }) => template.id,
              ({ template }) => isOfOrganization(what, template),
              max
            ),
            made_keys: yield* eraseWhere(keys, ({ key }) => key.id, isMade, max, withUnnamedKey)
          },
          // Apart, to be added to the API keys of the same name.
          { made_keys: yield* eraseWhere(providerKeys, ({ key }) => key.id, isMade, max, withUnnamedKey) },
          {
            made_tool_secrets: yield* eraseWhere(
              toolSecrets,
              ({ secret }) => secret.id,
              ({ secret }) => isMadeBy(what, secret.createdBy),
              max,
              (row) => ({ ...row, secret: unnamed(row.secret) })
            )
          }
        )
      )
    }),

    findWorkspace: Effect.fnUntraced(function* (organizationId, workspaceId) {
      const workspace = yield* workspaces.get(workspaceId)
      if (workspace?.organizationId !== organizationId) return undefined
      return (yield* closed.get(workspaceId)) ?? { closedAt: null, erasedAt: null }
    }),

    findOrganization: Effect.fnUntraced(function* (organizationId) {
      if ((yield* organizations.get(organizationId)) === undefined) return undefined
      return (yield* closed.get(organizationId)) ?? { closedAt: null, erasedAt: null }
    }),

    closeWorkspace: Effect.fnUntraced(function* (_, workspaceId, closedAt) {
      if (!(yield* closed.isClosed(workspaceId))) yield* closed.put(workspaceId, { closedAt, erasedAt: null })
    }),

    closeOrganization: Effect.fnUntraced(function* (organizationId, closedAt) {
      const mine = (yield* workspaces.all).filter((workspace) => workspace.organizationId === organizationId)
      for (const id of [organizationId, ...mine.map((workspace) => workspace.id)]) {
        if (!(yield* closed.isClosed(id))) yield* closed.put(id, { closedAt, erasedAt: null })
      }
    }),

    nextWorkspace: Effect.fnUntraced(function* (organizationId, after) {
      const all = (yield* workspaces.all).toSorted((one, other) => (one.id < other.id ? -1 : 1))
      for (const workspace of all) {
        if (workspace.organizationId !== organizationId || (after !== undefined && workspace.id <= after)) continue
        if (((yield* closed.get(workspace.id))?.erasedAt ?? null) === null) return workspace.id
      }
      return undefined
    }),

    eraseWorkspace: Effect.fnUntraced(function* (_, workspaceId, erasedAt) {
      const workspace = yield* workspaces.get(workspaceId)
      if (workspace === undefined) return
      yield* workspaces.put(workspaceId, {
        ...workspace,
        name: "",
        monthlyCapUsd: null,
        allowPlatformKeys: false,
        retentionDays: null
      })
      const closedAt = (yield* closed.get(workspaceId))?.closedAt ?? erasedAt
      yield* closed.put(workspaceId, { closedAt, erasedAt })
    }),

    removeWorkspace: Effect.fnUntraced(function* (_, workspaceId) {
      yield* workspaces.remove(workspaceId)
      yield* closed.remove(workspaceId)
    }),

    eraseOrganization: Effect.fnUntraced(function* (id, erasedAt) {
      const organization = yield* organizations.get(id)
      if (organization === undefined) return
      yield* organizations.put(id, { ...organization, name: "" })
      yield* closed.put(id, { closedAt: (yield* closed.get(id))?.closedAt ?? erasedAt, erasedAt })
    }),

    holdPerson: Effect.fnUntraced(function* (organizationId, id) {
      const user = (yield* users.all).find((one) => one.id === id)
      const mine = (yield* members.all).filter(
        ({ member, userId }) =>
          userId === id || (userId === null && member.id === id && member.organizationId === organizationId)
      )
      if (user === undefined && mine.length === 0) return undefined
      const emails = [...(user === undefined ? [] : [user.email]), ...mine.map(({ member }) => member.email)]
      const person: ErasedPerson = {
        _tag: "Person",
        userId: user === undefined ? null : id,
        memberIds: mine.map(({ member }) => member.id),
        emails: [...new Set(emails)]
      }
      return person
    }),

    endSessions: ({ memberIds }) => Effect.asVoid(endSessionsOf(memberIds))
  }
})
