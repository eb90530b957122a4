/** The operator, who acts in every organization, and the messages for refusals. */
import {
  type IdempotencyInProgress,
  type IdempotencyKeyReused,
  type OrganizationCaller,
  type OrganizationId,
  PAGE_LIMIT_MAX,
  type Page,
  type PageRequest,
  type QuotaExceeded,
  type WorkspaceId
} from "@agent-platform/kernel"
import {
  type ApiKeyNotFound,
  type ApiKeySettled,
  type CredentialRefused,
  type GrantRefused,
  type InvitationInvalid,
  type KeyGrantor,
  type LastOwner,
  type MemberNotFound,
  ORGANIZATION_SCOPES,
  type OrganizationNotFound,
  type RoleNotGrantable,
  type ScopeLost,
  TenancyStore,
  type TimezoneUnknown,
  WORKSPACE_SCOPES,
  type WorkspaceNotFound
} from "@agent-platform/keys"
import { CommandRefused } from "@agent-platform/process"
import { Effect } from "effect"
import { config } from "./config.ts"
import { layerCommand } from "./layers.ts"

/** Who stands in the feeds for what is done here. */
export const OPERATOR = { type: "system", id: "admin", label: "admin" } as const

/** The operator as the maker of keys: whatever a key can do it may give. */
export const GRANTOR: KeyGrantor = {
  actor: OPERATOR,
  scopes: [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES],
  key: null,
  session: null,
  role: null
}

const refused = (message: string) => Effect.fail(new CommandRefused({ message }))

/** Problems that an operator may run into. */
type Expected =
  | ApiKeyNotFound
  | ApiKeySettled
  | InvitationInvalid
  | LastOwner
  | MemberNotFound
  | OrganizationNotFound
  | TimezoneUnknown
  | WorkspaceNotFound

/** Problems of callers with limits, or with repeated requests; an operator has neither. */
type Impossible =
  | CredentialRefused
  | GrantRefused
  | RoleNotGrantable
  | ScopeLost
  | IdempotencyInProgress
  | IdempotencyKeyReused
  | QuotaExceeded

const SUBJECTS = { email: "The address", organizationRole: "The role", workspaces: "The workspaces" }

const sentenceOf = (error: Expected | Impossible): string | undefined => {
  switch (error._tag) {
    case "ApiKeyNotFound":
      return "There is no such key of this owner"
    case "ApiKeySettled":
      return `The key is ${error.status}. Make a new one`
    case "InvitationInvalid":
      return `${SUBJECTS[error.field]} ${error.detail}`
    case "LastOwner":
      return "The member is the last owner who has joined. Make somebody else an owner first"
    case "MemberNotFound":
      return "There is no such member in the organization"
    case "OrganizationNotFound":
      return "There is no such organization"
    case "TimezoneUnknown":
      return error.message
    case "WorkspaceNotFound":
      return "There is no such workspace in the organization"
    default:
      return undefined
  }
}

/** Says in words why something cannot be done. */
export const inWords = <A, R>(act: Effect.Effect<A, Expected | Impossible, R>): Effect.Effect<A, CommandRefused, R> =>
  Effect.catch(act, (error) => {
    const sentence = sentenceOf(error)
    return sentence === undefined ? Effect.die(error) : refused(sentence)
  })

/** Runs what a command does over the database of this deployment. */
export const overDatabase = <A, E, R>(act: Effect.Effect<A, E, R>) =>
  Effect.flatMap(config, ({ databaseUrl }) => Effect.provide(act, layerCommand(databaseUrl)))

/** An organization, which must be there, and the operator as a caller in it. */
export const organizationOf = Effect.fnUntraced(function* (organizationId: OrganizationId) {
  const store = yield* TenancyStore
  const found = yield* store.findOrganization(organizationId)
  if (found === undefined) return yield* refused(`There is no organization ${organizationId}`)
  const caller: OrganizationCaller = { organizationId, actor: OPERATOR }
  return { found, caller }
})

/** The operator as a caller in this organization, which must be there. */
export const operatorIn = (organizationId: OrganizationId) =>
  Effect.map(organizationOf(organizationId), ({ caller }) => caller)

/** A workspace, which must be the organization's, and the operator as a caller there. */
export const workspaceOf = Effect.fnUntraced(function* (organizationId: OrganizationId, workspaceId: WorkspaceId) {
  const caller = yield* operatorIn(organizationId)
  const store = yield* TenancyStore
  const found = yield* store.findWorkspace(organizationId, workspaceId)
  if (found === undefined) return yield* refused("There is no such workspace in the organization")
  return { found, caller }
})

/** Whose keys are meant: those of a workspace, which must be the organization's, or with null the organization's own. */
export const ownerOf = Effect.fnUntraced(function* (organizationId: OrganizationId, workspaceId: WorkspaceId | null) {
  yield* workspaceId === null ? operatorIn(organizationId) : workspaceOf(organizationId, workspaceId)
  return { organizationId, workspaceId }
})

/** Every item of a list, page by page. */
export const everyPage = <A, E, R>(read: (page: PageRequest) => Effect.Effect<Page<A>, E, R>) =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let before: string | undefined
    do {
      const page: Page<A> = yield* read({ limit: PAGE_LIMIT_MAX, before })
      items.push(...page.items)
      before = page.next
    } while (before !== undefined)
    return items
  })
