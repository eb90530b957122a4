/** A template of provider keys: the settings that a key of each workspace follows. */
import type { Template } from "@agent-platform/kernel"
import { Schema } from "effect"
import { KeyFallback, Provider, type ProviderKey } from "./ProviderKey.ts"

/** The settings of such a template. Provider and base URL never change, as in a key. */
export interface ProviderKeySettings
  extends Pick<
    ProviderKey,
    "provider" | "name" | "hint" | "fingerprint" | "priority" | "fallback" | "allowedModels" | "baseUrl"
  > {
  /** When its provider took the value that stands, as an ISO time; null where it was not asked, or could not say. */
  readonly validatedAt: string | null
  /** When it was revoked, as an ISO time: it has no value any more, and the keys that followed it have none. */
  readonly revokedAt: string | null
}

const Settings = Schema.Struct({
  provider: Provider,
  name: Schema.String,
  hint: Schema.String,
  fingerprint: Schema.String,
  priority: Schema.Int,
  fallback: KeyFallback,
  allowedModels: Schema.NullOr(Schema.Array(Schema.String)),
  baseUrl: Schema.NullOr(Schema.String),
  validatedAt: Schema.NullOr(Schema.String),
  revokedAt: Schema.NullOr(Schema.String)
})

const decode = Schema.decodeUnknownSync(Settings)

/** The settings in a template of provider keys. */
export const providerKeySettings = ({ settings }: Pick<Template, "settings">): ProviderKeySettings => decode(settings)

/** The settings as the JSON that a template keeps. */
export const providerKeySettingsJson = (settings: ProviderKeySettings): Schema.JsonObject => ({ ...settings })
