import { atomic, SecretBox, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Equal, type Redacted } from "effect"
import {
  type KeyFallback,
  type ProviderKey,
  ProviderKeyChanged,
  type ProviderKeyId,
  ProviderKeyNotFound,
  ProviderKeyRevoked,
  providerKeyPlace
} from "../../ProviderKey.ts"
import { afterProbe, type ProbeOutcome } from "../../ProviderKeyHealth.ts"
import { providerKeyFingerprint, providerKeyHint } from "../../ProviderKeyValue.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"
import { recordKey } from "./keyActivity.ts"
import { probeOrRefuse } from "./registerProviderKey.ts"

export interface UpdateProviderKey {
  readonly caller: WorkspaceCaller
  readonly id: ProviderKeyId
  /** The version that the caller has seen; undefined changes any version. */
  readonly ifVersion: number | undefined
  /** An undefined member stays as it is. */
  readonly change: {
    readonly name?: string | undefined
    readonly priority?: number | undefined
    readonly fallback?: KeyFallback | undefined
    readonly allowedModels?: ReadonlyArray<string> | null | undefined
    /** The new value; the old one is erased. */
    readonly value?: Redacted.Redacted | undefined
  }
  /** Whether the provider is asked about a new value first. */
  readonly validate: boolean
}

interface NewValue {
  readonly value: Redacted.Redacted
  readonly fingerprint: string
  readonly sealed: string
  readonly outcome: ProbeOutcome | undefined
}

const CHANGEABLE = ["name", "priority", "fallback", "allowedModels", "fingerprint"] as const

/** The members in which two states of a key differ, by their names in the activity feed. */
const changesOf = (before: ProviderKey, after: ProviderKey): ReadonlyArray<string> =>
  CHANGEABLE.filter((name) => !Equal.equals(before[name], after[name])).map(
    (name) => ({ allowedModels: "allowed_models", fingerprint: "key" })[name as string] ?? name
  )

const withChange = (
  key: ProviderKey,
  { change }: UpdateProviderKey,
  renewed: NewValue | undefined,
  now: DateTime.Utc
): ProviderKey => {
  const { allowedModels = key.allowedModels } = change
  const settled: ProviderKey = {
    ...key,
    name: change.name ?? key.name,
    priority: change.priority ?? key.priority,
    fallback: change.fallback ?? key.fallback,
    allowedModels: allowedModels === null ? null : [...new Set(allowedModels)]
  }
  if (renewed === undefined) return settled
  const unverified: ProviderKey = {
    ...settled,
    hint: providerKeyHint(renewed.value),
    fingerprint: renewed.fingerprint,
    status: "unverified",
    limitedUntil: null,
    lastError: null,
    lastValidatedAt: null
  }
  return renewed.outcome === undefined ? unverified : afterProbe(unverified, renewed.outcome, now)
}

const refusalOf = ({ ifVersion }: UpdateProviderKey, key: ProviderKey) => {
  if (key.status === "revoked") return new ProviderKeyRevoked()
  if (ifVersion !== undefined && ifVersion !== key.version) return new ProviderKeyChanged({ version: key.version })
  return undefined
}

/** Asks the provider about the new value and seals it, before any transaction is open. */
const renew = Effect.fnUntraced(function* (command: UpdateProviderKey, value: Redacted.Redacted) {
  const store = yield* ProviderKeyStore
  const box = yield* SecretBox
  const key = yield* store.find(command.caller.workspaceId, command.id)
  if (key === undefined) return yield* new ProviderKeyNotFound()
  const refusal = refusalOf(command, key)
  if (refusal !== undefined) return yield* refusal
  const { baseUrl, provider } = key
  const renewed: NewValue = {
    value,
    outcome: command.validate ? yield* probeOrRefuse({ provider, baseUrl, key: value }) : undefined,
    fingerprint: yield* providerKeyFingerprint(value),
    sealed: yield* box.seal(providerKeyPlace(key), value)
  }
  return renewed
})

/**
 * Changes a key and returns the changed key. A new value is probed like that of a new key, and replaces the old one. Provider and
 * base URL never change, so that nobody can have a value that they do not know sent elsewhere. Fails with ProviderKeyNotFound,
 * ProviderKeyRevoked, ProviderRejectedKey, and with ProviderKeyChanged when `ifVersion` is not the present version.
 */
export const updateProviderKey = useCase("providerKeys.update")(function* (command: UpdateProviderKey) {
  const { actor, workspaceId } = command.caller
  const store = yield* ProviderKeyStore
  const { value } = command.change
  const renewed = value === undefined ? undefined : yield* renew(command, value)
  return yield* atomic(
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const changes = yield* store.update(workspaceId, command.id, (key) => {
        if (refusalOf(command, key) !== undefined) return undefined
        const after = withChange(key, command, renewed, now)
        if (renewed === undefined && changesOf(key, after).length === 0) return undefined
        return { key: { ...after, version: key.version + 1 }, sealed: renewed?.sealed }
      })
      if (changes === undefined) return yield* new ProviderKeyNotFound()
      const { after, before } = changes
      const refusal = refusalOf(command, before)
      if (refusal !== undefined) return yield* refusal
      if (after.version !== before.version) {
        const names = changesOf(before, after)
        yield* recordKey("updated", actor, after, { changed: names, version: after.version })
      }
      return after
    })
  )
})
