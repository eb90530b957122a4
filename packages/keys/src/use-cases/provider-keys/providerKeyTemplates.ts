import type { TemplateBefore, TemplateContent } from "@agent-platform/kernel"
import { DateTime, Effect, type Redacted } from "effect"
import { ProviderKeyRevoked, withSettings } from "../../ProviderKey.ts"
import type { ProbeOutcome } from "../../ProviderKeyHealth.ts"
import { type ProviderKeySettings, providerKeySettings, providerKeySettingsJson } from "../../ProviderKeyTemplate.ts"
import { providerKeyFingerprint, providerKeyHint } from "../../ProviderKeyValue.ts"
import { admitKey, probeOrRefuse, type RegisterProviderKey } from "./registerProviderKey.ts"
import type { UpdateProviderKey } from "./updateProviderKey.ts"

/** The members of the settings that describe a value, by its provider's answer where that was asked. */
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
 * Prepares the change of a template, and asks its provider about a new value. Fails with ProviderRejectedKey, and for a template that
 * was revoked with ProviderKeyRevoked, as the change does. Not to be made in a transaction.
 */
export const changedProviderKeyTemplate = ({ change, validate }: Pick<UpdateProviderKey, "change" | "validate">) =>
  Effect.fnUntraced(function* (seen: Pick<TemplateBefore, "settings">) {
    const { baseUrl, provider, revokedAt } = providerKeySettings(seen)
    if (revokedAt !== null) return yield* new ProviderKeyRevoked()
    const { value } = change
    const outcome =
      value === undefined || !validate ? undefined : yield* probeOrRefuse({ provider, baseUrl, key: value })
    const renewed = value === undefined ? undefined : yield* ofValue(value, outcome)
    return (before: TemplateBefore): Effect.Effect<TemplateContent, ProviderKeyRevoked> => {
      const settings = providerKeySettings(before)
      if (settings.revokedAt !== null) return Effect.fail(new ProviderKeyRevoked())
      return Effect.succeed(content({ ...settings, ...withSettings(settings, change), ...renewed }, value))
    }
  })

/** The content of a template that is revoked: its value is erased, and with it those of the keys that follow it. */
export const revokedProviderKeyTemplate = (before: TemplateBefore): Effect.Effect<TemplateContent> =>
  Effect.map(DateTime.now, (now) => {
    const settings = providerKeySettings(before)
    return settings.revokedAt === null
      ? content({ ...settings, revokedAt: DateTime.formatIso(now) }, null)
      : content(settings, undefined)
  })
