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
  NAMED_SCOPES,
  ORGANIZATION_SCOPES,
  type OrganizationNotFound,
  type RoleNotGrantable,
  type ScopeLost,
  type ScopeNotGrantable,
  TenancyStore,
  type TimezoneUnknown,
  WORKSPACE_SCOPES,
  type WorkspaceNotFound
} from "@agent-platform/keys"
import { CommandRefused } from "@agent-platform/process"
import { DateTime, Effect } from "effect"
import { config } from "./config.ts"
import type { Named } from "./flags.ts"
import { layerCommand } from "./layers.ts"

/** The actor of every command, as the activity feed shows it. */
export const OPERATOR = { type: "system", id: "admin", label: "admin" } as const

/**
 * The operator by what it may give, to keys and to people: everything. Commands take it as `by`, `creator` or `rotator`, beside the
 * `caller`, which is the operator in one organization.
 */
export const GRANTOR: KeyGrantor = {
  actor: OPERATOR,
  scopes: [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES, ...NAMED_SCOPES],
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
  | ScopeNotGrantable
  | TimezoneUnknown
  | WorkspaceNotFound

/** Problems of callers with limits, or with repeated requests; an operator has neither. */
type Impossible =
  | CredentialRefused
  | Exclude<GrantRefused, ScopeNotGrantable>
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
    case "ScopeNotGrantable":
      return `A key of a workspace cannot have the scope ${error.scopes.join(" or ")}`
    case "TimezoneUnknown":
      return error.message
    case "WorkspaceNotFound":
      return "There is no such workspace in the organization"
    default:
      return undefined
  }
}

/** Turns the expected errors into CommandRefused with a sentence for the operator, and the impossible ones into defects. */
export const explainRefusals = <A, R>(
  act: Effect.Effect<A, Expected | Impossible, R>
): Effect.Effect<A, CommandRefused, R> =>
  Effect.catch(act, (error) => {
    const sentence = sentenceOf(error)
    return sentence === undefined ? Effect.die(error) : refused(sentence)
  })

/** Runs what a command does over the database of this deployment. */
export const overDatabase = <A, E, R>(act: Effect.Effect<A, E, R>) =>
  Effect.flatMap(config, ({ databaseUrl }) => Effect.provide(act, layerCommand(databaseUrl)))

/** How many things of one name a refusal lists. One more is looked up, to say that there are more. */
const CANDIDATES_MAX = 10

interface Candidate {
  readonly id: string
  readonly createdAt: DateTime.Utc
}

/** The only thing that was found under a name; refused where there is none, and with their ids where there are several. */
const onlyOne = <A extends Candidate>(found: ReadonlyArray<A>, thing: string, none: string) => {
  const [one, other] = found
  if (one === undefined) return refused(none)
  if (other === undefined) return Effect.succeed(one)
  const shown = found.slice(0, CANDIDATES_MAX).map(({ createdAt, id }) => `${id} of ${DateTime.formatIso(createdAt)}`)
  const rest = found.length > CANDIDATES_MAX ? " and more" : ""
  return refused(`Several ${thing} have this name. Say which by its id: ${shown.join(", ")}${rest}`)
}

/** An organization, which must be there and the only one of its name, and the operator as a caller in it. */
export const organizationOf = Effect.fnUntraced(function* (named: Named<OrganizationId>) {
  const store = yield* TenancyStore
  const found =
    "id" in named
      ? yield* Effect.map(store.findOrganization(named.id), (one) => (one === undefined ? [] : [one]))
      : yield* store.organizationsNamed(named.name, CANDIDATES_MAX + 1)
  const none = `There is no organization ${"id" in named ? named.id : named.name}`
  const organization = yield* onlyOne(found, "organizations", none)
  const caller: OrganizationCaller = { organizationId: organization.id, actor: OPERATOR }
  return { found: organization, caller }
})

/** The operator as a caller in this organization, which must be there. */
export const operatorIn = (organization: Named<OrganizationId>) =>
  Effect.map(organizationOf(organization), ({ caller }) => caller)

/** A workspace, which must be the organization's and its only one of the name, and the operator as a caller there. */
export const workspaceOf = Effect.fnUntraced(function* (
  organization: Named<OrganizationId>,
  workspace: Named<WorkspaceId>
) {
  const caller = yield* operatorIn(organization)
  const store = yield* TenancyStore
  const found =
    "id" in workspace
      ? yield* Effect.map(store.findWorkspace(caller.organizationId, workspace.id), (one) =>
          one === undefined ? [] : [one]
        )
      : yield* store.workspacesNamed(caller.organizationId, workspace.name, CANDIDATES_MAX + 1)
  return { found: yield* onlyOne(found, "workspaces", "There is no such workspace in the organization"), caller }
})

/** The owner of keys: a workspace, which must be the organization's, or with null the organization itself. */
export const ownerOf = Effect.fnUntraced(function* (
  organization: Named<OrganizationId>,
  workspace: Named<WorkspaceId> | null
) {
  if (workspace === null) {
    const { organizationId } = yield* operatorIn(organization)
    return { organizationId, workspaceId: null }
  }
  const { caller, found } = yield* workspaceOf(organization, workspace)
  return { organizationId: caller.organizationId, workspaceId: found.id }
})

/** The scope of a list: everything, an organization, or a workspace, which is named together with its organization. */
export const scopeOf = Effect.fnUntraced(function* (
  organization: Named<OrganizationId> | null,
  workspace: Named<WorkspaceId> | null
) {
  if (organization === null) {
    if (workspace !== null) return yield* refused("A workspace takes --organization as well as --workspace")
    return { organizationId: null, workspaceId: null }
  }
  return yield* ownerOf(organization, workspace)
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
