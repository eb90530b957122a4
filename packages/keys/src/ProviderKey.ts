/** A workspace's own key for a model provider, without its value. */
import { type Actor, type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, Equal, Schema } from "effect"

export const ProviderKeyId = Uuid.pipe(Schema.brand("ProviderKeyId"))
export type ProviderKeyId = typeof ProviderKeyId.Type

/**
 * The provider that a key is for. `azure` is a resource of Azure OpenAI, `bedrock` a region of Amazon Bedrock, `vertex` a project of Google's Vertex AI,
 * `openai_compatible` any server that speaks OpenAI's interface.
 */
export const Provider = Schema.Literals([
  "openai",
  "anthropic",
  "google",
  "azure",
  "bedrock",
  "vertex",
  "openai_compatible"
])
export type Provider = typeof Provider.Type

const WITH_ONE_ADDRESS: ReadonlySet<Provider> = new Set(["openai", "anthropic", "google"])

/** Whether each key of the provider needs a base URL, since they are not all served at one address. */
export const needsBaseUrl = (provider: Provider): boolean => !WITH_ONE_ADDRESS.has(provider)

/**
 * How a key stands with its provider. `unverified`: the provider has not said yet whether it takes the key. `rate_limited` and
 * `quota_exhausted`: it takes the key, but not now. `invalid`: it refused the key, and again when it was asked.
 */
export const ProviderKeyStatus = Schema.Literals([
  "active",
  "unverified",
  "rate_limited",
  "quota_exhausted",
  "invalid",
  "revoked"
])
export type ProviderKeyStatus = typeof ProviderKeyStatus.Type

/** The fallback where the workspace has no usable key of a provider: nothing, or the platform's key. */
export const KeyFallback = Schema.Literals(["none", "platform"])
export type KeyFallback = typeof KeyFallback.Type

/** The reason for which a key failed, for programs. `unsupported`: the provider has no way to ask about a key. */
export const ProviderKeyErrorCode = Schema.Literals([
  "rejected",
  "rate_limited",
  "quota_exhausted",
  "unreachable",
  "unsupported"
])
export type ProviderKeyErrorCode = typeof ProviderKeyErrorCode.Type

/** The last thing that went wrong with a key. Of the provider's own words it holds only the code. */
export interface ProviderKeyError {
  readonly code: ProviderKeyErrorCode
  /** The HTTP status that the provider answered; null where it gave no answer. */
  readonly providerStatus: number | null
  /** The provider's own code, such as `invalid_api_key`; null where it gave none that can be shown. */
  readonly providerCode: string | null
  readonly at: DateTime.Utc
}

/** Everything about a key except its value. */
export interface ProviderKey {
  readonly id: ProviderKeyId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly provider: Provider
  readonly name: string
  /** The part of the value that may be shown for ever. */
  readonly hint: string
  /** Distinguishes two values, 16 hexadecimal digits; empty until it is computed, or for good where the value is gone. */
  readonly fingerprint: string
  readonly status: ProviderKeyStatus
  /** The end of the limit; null unless rate_limited or quota_exhausted. */
  readonly limitedUntil: DateTime.Utc | null
  /** The key with the lower number is tried first. */
  readonly priority: number
  readonly fallback: KeyFallback
  /** The models that it may be used for, by name or by a beginning and `*`; null for all. */
  readonly allowedModels: ReadonlyArray<string> | null
  /** The address of the server; null for a provider that has one address. */
  readonly baseUrl: string | null
  /** Counts the changes that callers make, and not those of its health. */
  readonly version: number
  readonly createdAt: DateTime.Utc
  readonly createdBy: Actor
  /** When a run last used it with success, to the minute. */
  readonly lastUsedAt: DateTime.Utc | null
  /** When the provider was last asked and took it. */
  readonly lastValidatedAt: DateTime.Utc | null
  readonly lastError: ProviderKeyError | null
  readonly revokedAt: DateTime.Utc | null
}

/** The priority of a key for which none is given. */
export const PRIORITY_DEFAULT = 100

/** The highest number of a priority. */
export const PRIORITY_MAX = 10_000

/** The longest value of a key, in characters: that of a service account of Google's is a file of some 3 kB in base64. */
export const PROVIDER_KEY_LENGTH_MAX = 4_096

/** No such key in the caller's workspace. */
export class ProviderKeyNotFound extends Schema.TaggedError<ProviderKeyNotFound>()("ProviderKeyNotFound", {}) {}

/** The key was revoked and its value is erased; it cannot be changed or asked about any more. */
export class ProviderKeyRevoked extends Schema.TaggedError<ProviderKeyRevoked>()("ProviderKeyRevoked", {}) {}

/** Somebody has changed the key since the version that the caller had seen. */
export class ProviderKeyChanged extends Schema.TaggedError<ProviderKeyChanged>()("ProviderKeyChanged", {
  version: Schema.Int
}) {}

/** The provider does not take the key. Nothing was kept. */
export class ProviderRejectedKey extends Schema.TaggedError<ProviderRejectedKey>()("ProviderRejectedKey", {
  providerStatus: Schema.NullOr(Schema.Int),
  providerCode: Schema.NullOr(Schema.String)
}) {}

/** A base URL was given for a provider whose keys have none, or is `missing` for one that needs it (`needsBaseUrl`). */
export class BaseUrlMisplaced extends Schema.TaggedError<BaseUrlMisplaced>()("BaseUrlMisplaced", {
  missing: Schema.Boolean
}) {}

/** The workspace has as many keys as it may have. */
export class ProviderKeyLimitReached extends Schema.TaggedError<ProviderKeyLimitReached>()("ProviderKeyLimitReached", {
  limit: Schema.Int
}) {}

/** The key's value cannot be opened: it was sealed with a key that this deployment has not got, or was altered. */
export class ProviderKeyUnreadable extends Schema.TaggedError<ProviderKeyUnreadable>()("ProviderKeyUnreadable", {}) {}

/** No key may be used for this model. */
export class ProviderKeyMissing extends Schema.TaggedError<ProviderKeyMissing>()("ProviderKeyMissing", {
  provider: Provider,
  /**
   * `none`: no key is registered. `unusable`: every key is invalid. `model`: none may be used for the model. `unreadable`:
   * a key cannot be opened here.
   */
  reason: Schema.Literals(["none", "unusable", "model", "unreadable"])
}) {}

/** The place for which a key's value is sealed: the value of a row that is moved, or renamed to another provider, does not open. */
export const providerKeyPlace = (key: Pick<ProviderKey, "id" | "workspaceId" | "provider">): string =>
  `provider_key/${key.workspaceId}/${key.provider}/${key.id}`

/** Whether the key may be used for the model. */
export const mayServe = (key: Pick<ProviderKey, "allowedModels">, model: string): boolean =>
  key.allowedModels === null ||
  key.allowedModels.some((name) => (name.endsWith("*") ? model.startsWith(name.slice(0, -1)) : model === name))

/** The settings of a key that can be changed. */
export type ChangeableSettings = Pick<ProviderKey, "name" | "priority" | "fallback" | "allowedModels">

/** Changes of a key's settings; an undefined member stays as it is. */
export type SettingsChange = { readonly [Name in keyof ChangeableSettings]?: ChangeableSettings[Name] | undefined }

/** A key's settings with those of a change in their place, and each allowed model once. */
export const withSettings = (before: ChangeableSettings, change: SettingsChange): ChangeableSettings => {
  const { allowedModels = before.allowedModels } = change
  return {
    name: change.name ?? before.name,
    priority: change.priority ?? before.priority,
    fallback: change.fallback ?? before.fallback,
    allowedModels: allowedModels === null ? null : [...new Set(allowedModels)]
  }
}

/** The key with another value, of which nothing is known yet. */
export const withValue = (key: ProviderKey, value: Pick<ProviderKey, "hint" | "fingerprint">): ProviderKey => ({
  ...key,
  hint: value.hint,
  fingerprint: value.fingerprint,
  status: "unverified",
  limitedUntil: null,
  lastError: null,
  lastValidatedAt: null
})

const CHANGEABLE = {
  name: "name",
  priority: "priority",
  fallback: "fallback",
  allowedModels: "allowed_models",
  fingerprint: "key"
} as const

/** The members in which two states of a key differ, by their names on the wire; the value is `key`. */
export const changedMembers = (before: ProviderKey, after: ProviderKey): ReadonlyArray<string> =>
  (Object.keys(CHANGEABLE) as ReadonlyArray<keyof typeof CHANGEABLE>)
    .filter((member) => !Equal.equals(before[member], after[member]))
    .map((member) => CHANGEABLE[member])
