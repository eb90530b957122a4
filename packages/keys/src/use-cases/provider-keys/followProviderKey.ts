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
import {
  changedMembers,
  type ProviderKey,
  ProviderKeyId,
  providerKeyPlace,
  withSettings,
  withValue
} from "../../ProviderKey.ts"
import * as ProviderKeyHealth from "../../ProviderKeyHealth.ts"
import { type ProviderKeySettings, providerKeySettings } from "../../ProviderKeyTemplate.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"
import { recordKey } from "./keyActivity.ts"

/** The template's value, sealed for the key of one workspace. */
const sealedFor = Effect.fnUntraced(function* (
  key: Pick<ProviderKey, "id" | "provider" | "workspaceId">,
  given: FollowTemplate
) {
  const box = yield* SecretBox
  const value = yield* openTemplate(given)
  if (value === null) return yield* Effect.die(new Error("A template of provider keys has a value until it is revoked"))
  return yield* box.seal(providerKeyPlace(key), value)
})

/** The key with the template's value: active if the provider has accepted that value for the template, else unverified. */
const withTemplateValue = (key: ProviderKey, settings: ProviderKeySettings): ProviderKey => {
  const unverified = withValue(key, settings)
  const { validatedAt } = settings
  return validatedAt === null
    ? unverified
    : { ...unverified, status: "active", lastValidatedAt: DateTime.makeUnsafe(validatedAt) }
}

/** Gives the workspace a key of the template, or answers the fault for which it has none. */
const begin = Effect.fnUntraced(function* (given: FollowTemplate) {
  const settings = providerKeySettings(given.template)
  if (settings.revokedAt !== null) return { resourceId: null, fault: "revoked" as const }
  const store = yield* ProviderKeyStore
  const { baseUrl, fingerprint, hint, provider } = settings
  const unverified: ProviderKey = {
    id: yield* freshId(ProviderKeyId),
    ...given.workspace,
    ...withSettings(settings, {}),
    provider,
    baseUrl,
    hint,
    fingerprint,
    status: "unverified",
    limitedUntil: null,
    version: 1,
    createdAt: yield* DateTime.now,
    createdBy: templateActor(given),
    lastUsedAt: null,
    lastValidatedAt: null,
    lastError: null,
    revokedAt: null
  }
  const key = withTemplateValue(unverified, settings)
  yield* store.insert(key, yield* sealedFor(key, given))
  const { fallback, priority } = key
  yield* recordKey("registered", templateActor(given), key, { fallback, priority, template_id: given.template.id })
  return { resourceId: key.id, fault: null }
})

/** Brings a key to the present version of the template. Answers null for no fault, which is always so here. */
const goOn = Effect.fnUntraced(function* (given: Following) {
  const { follows, resourceId, template, workspace } = given
  const store = yield* ProviderKeyStore
  const settings = providerKeySettings(template)
  const id = ProviderKeyId.make(resourceId)
  const now = yield* DateTime.now
  const isRevoked = settings.revokedAt !== null && follows("key")
  const hasNewValue = settings.revokedAt === null && given.hasNewValue && follows("key")
  const place = { id, workspaceId: workspace.workspaceId, provider: settings.provider }
  const sealed = hasNewValue ? yield* sealedFor(place, given) : undefined
  // The workspace keeps what it has set for itself.
  const change = {
    name: follows("name") ? settings.name : undefined,
    priority: follows("priority") ? settings.priority : undefined,
    fallback: follows("fallback") ? settings.fallback : undefined,
    allowedModels: follows("allowed_models") ? settings.allowedModels : undefined
  }
  const changes = yield* store.update(workspace.workspaceId, id, (key) => {
    if (key.status === "revoked") return undefined
    if (isRevoked) return { key: ProviderKeyHealth.revoked(key, now) }
    const configured = { ...key, ...withSettings(key, change) }
    if (!hasNewValue && changedMembers(key, configured).length === 0) return undefined
    const after = hasNewValue ? withTemplateValue(configured, settings) : configured
    return { key: { ...after, version: key.version + 1 }, sealed }
  })
  if (changes === undefined || changes.after.version === changes.before.version) return null
  const { after, before } = changes
  const changed = changedMembers(before, after)
  yield* recordKey(isRevoked ? "revoked" : "updated", templateActor(given), after, {
    template_id: template.id,
    ...(isRevoked ? {} : { changed, version: after.version })
  })
  return null
})

/** How the provider keys of workspaces follow a template. */
export const followProviderKey = makeFollower({
  quota: "provider_keys",
  holdCount: (workspaceId) => ProviderKeyStore.use((store) => store.holdKeys(workspaceId)),
  begin,
  goOn
})
