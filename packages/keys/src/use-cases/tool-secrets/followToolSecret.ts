import {
  type Following,
  type FollowTemplate,
  freshId,
  makeFollower,
  openTemplate,
  SecretBox,
  templateActor
} from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { ToolSecretStore } from "../../ports/ToolSecretStore.ts"
import { changedToolSecret, type ToolSecret, ToolSecretId, toolSecretPlace } from "../../ToolSecret.ts"
import { toolSecretSettings } from "../../ToolSecretTemplate.ts"
import { recordSecret } from "./secretActivity.ts"

const isTaken = (secret: ToolSecret) =>
  Effect.map(
    ToolSecretStore.use((store) => store.alike(secret)),
    (others) => others.length > 0
  )

/** The template's value, sealed for the secret of one workspace. */
const sealedFor = Effect.fnUntraced(function* (secret: ToolSecret, given: FollowTemplate) {
  const box = yield* SecretBox
  const value = yield* openTemplate(given)
  if (value === null) return yield* Effect.die(new Error("A template of tool secrets has a value"))
  return yield* box.seal(toolSecretPlace(secret), value)
})

/** Gives the workspace a secret of the template, or answers the fault for which it has none. */
const begin = Effect.fnUntraced(function* (given: FollowTemplate) {
  const store = yield* ToolSecretStore
  const now = yield* DateTime.now
  const secret: ToolSecret = {
    id: yield* freshId(ToolSecretId),
    ...given.workspace,
    ...toolSecretSettings(given.template),
    version: 1,
    createdAt: now,
    createdBy: templateActor(given),
    updatedAt: now
  }
  if (yield* isTaken(secret)) return { resourceId: null, fault: "taken" as const }
  yield* store.insert(secret, yield* sealedFor(secret, given))
  yield* recordSecret("created", templateActor(given), secret, { template_id: given.template.id })
  return { resourceId: secret.id, fault: null }
})

/** Brings a secret to the present version of the template. Answers null for no fault, which is always so here. */
const goOn = Effect.fnUntraced(function* (given: Following) {
  const { follows, resourceId, template, workspace } = given
  const store = yield* ToolSecretStore
  const secret = yield* store.find(workspace.workspaceId, ToolSecretId.make(resourceId))
  if (secret === undefined) return null
  const { name, oauth } = toolSecretSettings(template)
  const hasNewValue = given.hasNewValue && follows("value")
  const client = oauth && {
    clientId: follows("oauth.client_id") ? oauth.clientId : undefined,
    scope: follows("oauth.scope") ? oauth.scope : undefined
  }
  const change = { name: follows("name") ? name : undefined, oauth: client ?? undefined }
  const wanted = changedToolSecret(secret, change, hasNewValue, yield* DateTime.now)
  if (wanted === secret) return null
  // A name that the workspace has given to another secret meanwhile stays there.
  const after = (yield* isTaken(wanted)) ? { ...wanted, name: secret.name } : wanted
  yield* store.update(after, hasNewValue ? yield* sealedFor(after, given) : undefined)
  const payload = { version: after.version, renewed: hasNewValue, template_id: template.id }
  yield* recordSecret("updated", templateActor(given), after, payload)
  return null
})

/** How the tool secrets of workspaces follow a template. */
export const followToolSecret = makeFollower({
  quota: "tool_secrets",
  holdCount: (workspaceId, max) => ToolSecretStore.use((store) => store.hold(workspaceId, max)),
  begin,
  goOn
})
