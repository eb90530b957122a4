/** How a workspace comes to have what a template says: the same for every kind of template. */
import { Effect, type Redacted } from "effect"
import type { Actor } from "./Caller.ts"
import type { OrganizationId, WorkspaceId } from "./Ids.ts"
import { SecretBox } from "./ports/SecretBox.ts"
import { TemplateStore } from "./ports/TemplateStore.ts"
import type { Transaction } from "./ports/UnitOfWork.ts"
import { type QuotaLimits, Quotas } from "./Quotas.ts"
import { type SealedTemplate, type TemplateFault, type TemplateMember, templatePlace } from "./Template.ts"

/** A workspace that is to have its row of a template. The template is held until the transaction ends. */
export interface FollowTemplate extends SealedTemplate {
  readonly workspace: { readonly organizationId: OrganizationId; readonly workspaceId: WorkspaceId }
}

/** A row that goes on following. */
export interface Following extends FollowTemplate {
  readonly resourceId: string
  /** Whether the template may change the member. */
  readonly follows: (name: string) => boolean
  /** Whether the template has a value that the workspace has not had yet. */
  readonly hasNewValue: boolean
}

/** How the rows of a kind follow their templates, in the caller's transaction. */
export interface TemplateFollower<BeginPorts, GoOnPorts> {
  readonly quota: keyof QuotaLimits
  /** How many rows the workspace has, counted up to `max`. Until the transaction ends nobody makes another. */
  readonly holdCount: (workspaceId: WorkspaceId, max: number) => Effect.Effect<number, never, BeginPorts>
  /** Makes the workspace's row and answers its id, or why there can be none. */
  readonly begin: (
    given: FollowTemplate
  ) => Effect.Effect<Pick<TemplateMember, "resourceId" | "fault">, never, BeginPorts>
  /** Changes what the workspace has not set for itself; answers why it cannot, and nothing has changed then. */
  readonly goOn: (following: Following) => Effect.Effect<TemplateFault | null, never, GoOnPorts>
}

/** The same follower, for the compiler to infer the ports that its parts need. */
export const makeFollower = <BeginPorts, GoOnPorts>(
  follower: TemplateFollower<BeginPorts, GoOnPorts>
): TemplateFollower<BeginPorts, GoOnPorts> => follower

/** The actor of what a template does. */
export const templateActor = ({ template }: SealedTemplate): Actor => ({
  type: "system",
  id: template.id,
  label: "A template"
})

/** The value of a template, null where it has none. */
export const openTemplate = Effect.fnUntraced(function* ({
  sealed,
  template
}: SealedTemplate): Effect.fn.Return<Redacted.Redacted | null, never, SecretBox> {
  if (sealed === null) return null
  const box = yield* SecretBox
  // A template whose value does not open can be given to nobody: its job fails, and is tried again.
  return yield* Effect.orDie(box.open(templatePlace(template), sealed))
})

/**
 * Gives a workspace its row of a template, unless it has one: then it answers the workspace's part in the template. Locks are taken in one
 * order everywhere: the template, the count of the workspace's rows, its part in the template, its row.
 */
export const beginTemplate = Effect.fnUntraced(function* <BeginPorts>(
  { begin, holdCount, quota }: Pick<TemplateFollower<BeginPorts, never>, "begin" | "holdCount" | "quota">,
  given: FollowTemplate
): Effect.fn.Return<TemplateMember | undefined, never, BeginPorts | TemplateStore | Transaction> {
  const { template, workspace } = given
  const templates = yield* TemplateStore
  const { [quota]: limit } = yield* Quotas
  const count = yield* holdCount(workspace.workspaceId, limit)
  const member = yield* templates.holdMember(workspace.workspaceId, template.id)
  if (member !== undefined && member.resourceId !== null) return member
  const begun = count >= limit ? ({ resourceId: null, fault: "quota_exceeded" } as const) : yield* begin(given)
  yield* templates.putMember({
    ...workspace,
    templateId: template.id,
    version: template.version,
    overridden: [],
    ...begun
  })
  return undefined
})

/**
 * Gives a workspace its row of a template, or brings that to the template's version. What the workspace has set for itself, or has
 * deleted, stays so.
 */
export const followTemplate = Effect.fnUntraced(function* <BeginPorts, GoOnPorts>(
  follower: TemplateFollower<BeginPorts, GoOnPorts>,
  given: FollowTemplate
): Effect.fn.Return<void, never, BeginPorts | GoOnPorts | TemplateStore | Transaction> {
  const member = yield* beginTemplate(follower, given)
  if (member === undefined || member.resourceId === null) return
  const { template } = given
  const { overridden, resourceId, version } = member
  const fault = yield* follower.goOn({
    ...given,
    resourceId,
    follows: (name) => !overridden.includes(name),
    hasNewValue: version < template.valueVersion
  })
  yield* TemplateStore.use((templates) =>
    templates.putMember({ ...member, fault, version: fault === null ? template.version : version })
  )
})
