import type { TemplateBefore, TemplateContent } from "@agent-platform/kernel"
import { DateTime, Effect, type Redacted } from "effect"
import { ProviderKeyRevoked, withSettings } from "../../ProviderKey.ts"
import type { ProbeOutcome } from "../../ProviderKeyHealth.ts"
import { type ProviderKeySettings, providerKeySettings, providerKeySettingsJson } from "../../ProviderKeyTemplate.ts"
import { providerKeyFingerprint, providerKeyHint } from "../../ProviderKeyValue.ts"
import { admitKey, probeOrRefuse, type RegisterProviderKey } from "./registerProviderKey.ts"
import type { UpdateProviderKey } from "./updateProviderKey.ts"

/** The settings that describe a value; `outcome` is the provider's answer about it, undefined if it was not asked. */
const ofValue = Effect.fnUntraced(function* (value: Redacted.Redacted, outcome: ProbeOutcome | undefined) {
  return {
    hint: providerKeyHint(value),
    fingerprint: yield* providerKeyFingerprint(value),
    validatedAt: outcome?.type === "accepted" ? DateTime.formatIso(yield* DateTime.now) : null
  }
})

const content = (settings: ProviderKeySettings, value: TemplateContent["value"]): TemplateContent => ({
  settings: providerKeySettingsJson(settings),
  value,
  shown: null
})

/**
 * The content of a new template; the provider is asked about the value once for all workspaces. Fails with BaseUrlMisplaced,
 * UrlNotPublic and ProviderRejectedKey. Not to be made in a transaction.
 */
export const newProviderKeyTemplate = Effect.fnUntraced(function* (
  given: Omit<RegisterProviderKey, "caller" | "idempotency">
) {
  const { allowedModels, baseUrl, fallback, name, priority, provider, value } = given
  const known = yield* ofValue(value, yield* admitKey(given))
  const settings = { provider, name: name ?? provider, priority, fallback, allowedModels, baseUrl, revokedAt: null }
  return content({ ...settings, ...withSettings(settings, {}), ...known }, value)
})

/**
 * The change of a template, in two steps. The first is not to be made in a transaction: it asks the provider about a new value, by the
 * settings that were read (`unlocked`). It returns the second, which changes the settings that the transaction has locked. Fails with
 * ProviderRejectedKey, and in both steps with ProviderKeyRevoked for a template that was revoked.
 */
export const changedProviderKeyTemplate = ({ change, validate }: Pick<UpdateProviderKey, "change" | "validate">) =>
  Effect.fnUntraced(function* (unlocked: Pick<TemplateBefore, "settings">) {
    const { baseUrl, provider, revokedAt } = providerKeySettings(unlocked)
    if (revokedAt !== null) return yield* new ProviderKeyRevoked()
    const { value } = change
    const outcome =
      value === undefined || !validate ? undefined : yield* probeOrRefuse({ provider, baseUrl, key: value })
    const renewed = value === undefined ? undefined : yield* ofValue(value, outcome)
    return (locked: TemplateBefore): Effect.Effect<TemplateContent, ProviderKeyRevoked> => {
      const settings = providerKeySettings(locked)
      if (settings.revokedAt !== null) return Effect.fail(new ProviderKeyRevoked())
      return Effect.succeed(content({ ...settings, ...withSettings(settings, change), ...renewed }, value))
    }
  })

/** The content of a template that is revoked: its value is erased (null), and then those of the keys that follow it. */
export const revokedProviderKeyTemplate = (before: TemplateBefore): Effect.Effect<TemplateContent> =>
  Effect.map(DateTime.now, (now) => {
    const settings = providerKeySettings(before)
    return settings.revokedAt === null
      ? content({ ...settings, revokedAt: DateTime.formatIso(now) }, null)
      : content(settings, undefined)
  })
