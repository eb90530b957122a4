import {
  type Actor,
  freshId,
  type OrganizationId,
  Quotas,
  type SealedTemplate,
  SecretBox,
  type TemplateFault,
  type TemplateMember,
  TemplateStore,
  templatePlace,
  type WorkspaceId
} from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { ToolSecretStore } from "../../ports/ToolSecretStore.ts"
import { changedToolSecret, type ToolSecret, ToolSecretId, toolSecretPlace } from "../../ToolSecret.ts"
import { toolSecretSettings } from "../../ToolSecretTemplate.ts"
import { recordSecret } from "./secretActivity.ts"

/** A workspace that is to have what a template says. */
export interface FollowTemplate extends SealedTemplate {
  readonly workspace: { readonly organizationId: OrganizationId; readonly workspaceId: WorkspaceId }
}

const actorOf = ({ template }: SealedTemplate): Actor => ({ type: "system", id: template.id, label: "A template" })

const isTaken = (secret: ToolSecret) =>
  Effect.map(
    ToolSecretStore.use((store) => store.alike(secret)),
    (others) => others.length > 0
  )

const valueOf = Effect.fnUntraced(function* ({ sealed, template }: SealedTemplate) {
  const box = yield* SecretBox
  // A template whose value does not open can be given to nobody: its job fails, and is tried again.
  return yield* Effect.orDie(box.open(templatePlace(template), sealed))
})

/** Makes the secret of a workspace that is held, and has `count` of at most `limit`. */
const begin = Effect.fnUntraced(function* (given: FollowTemplate, count: number, limit: number) {
  const store = yield* ToolSecretStore
  const box = yield* SecretBox
  const now = yield* DateTime.now
  const secret: ToolSecret = {
    id: yield* freshId(ToolSecretId),
    ...given.workspace,
    ...toolSecretSettings(given.template),
    version: 1,
    createdAt: now,
    createdBy: actorOf(given),
    updatedAt: now
  }
  const fault: TemplateFault | null = (yield* isTaken(secret)) ? "taken" : count >= limit ? "quota_exceeded" : null
  if (fault !== null) return { resourceId: null, fault }
  yield* store.insert(secret, yield* box.seal(toolSecretPlace(secret), yield* valueOf(given)))
  yield* recordSecret("created", actorOf(given), secret, { template_id: given.template.id })
  return { resourceId: secret.id, fault: null }
})

/** Changes what the workspace has not set for itself. */
const goOn = Effect.fnUntraced(function* (given: FollowTemplate, secret: ToolSecret, member: TemplateMember) {
  const store = yield* ToolSecretStore
  const box = yield* SecretBox
  const { name, oauth } = toolSecretSettings(given.template)
  const follows = (member_: string) => !member.overridden.includes(member_)
  const hasNewValue = member.version < given.template.valueVersion && follows("value")
  const client = oauth && {
    clientId: follows("oauth.client_id") ? oauth.clientId : undefined,
    scope: follows("oauth.scope") ? oauth.scope : undefined
  }
  const change = { name: follows("name") ? name : undefined, oauth: client ?? undefined }
  const wanted = changedToolSecret(secret, change, hasNewValue, yield* DateTime.now)
  if (wanted === secret) return
  // A name that the workspace has given to another secret meanwhile stays there.
  const after = (yield* isTaken(wanted)) ? { ...wanted, name: secret.name } : wanted
  const sealed = hasNewValue ? yield* box.seal(toolSecretPlace(after), yield* valueOf(given)) : undefined
  yield* store.update(after, sealed)
  const payload = { version: after.version, renewed: hasNewValue, template_id: given.template.id }
  yield* recordSecret("updated", actorOf(given), after, payload)
})

/**
 * Gives a workspace the secret of a template that is held, or brings it to the template's version. What the workspace has set for
 * itself, or deleted, stays so. Locks are taken in the order in which a change of a secret takes them.
 */
export const followToolSecret = Effect.fnUntraced(function* (given: FollowTemplate) {
  const { template, workspace } = given
  const { workspaceId } = workspace
  const store = yield* ToolSecretStore
  const templates = yield* TemplateStore
  const { tool_secrets: limit } = yield* Quotas
  const count = yield* store.hold(workspaceId, limit)
  const member = yield* templates.holdMember(workspaceId, template.id)
  if (member === undefined || member.resourceId === null) {
    const begun = yield* begin(given, count, limit)
    const { version } = template
    return yield* templates.putMember({ ...workspace, templateId: template.id, version, overridden: [], ...begun })
  }
  const secret = yield* store.find(workspaceId, ToolSecretId.make(member.resourceId))
  if (secret !== undefined) yield* goOn(given, secret, member)
  yield* templates.putMember({ ...member, version: template.version })
})
