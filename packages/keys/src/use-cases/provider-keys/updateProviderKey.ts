import { atomic, Overrides, SecretBox, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import {
  changedMembers,
  type ProviderKey,
  ProviderKeyChanged,
  type ProviderKeyId,
  ProviderKeyNotFound,
  ProviderKeyRevoked,
  providerKeyPlace,
  type SettingsChange,
  withSettings,
  withValue
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
  readonly change: SettingsChange & {
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

const withChange = (
  key: ProviderKey,
  { change }: UpdateProviderKey,
  renewed: NewValue | undefined,
  now: DateTime.Utc
): ProviderKey => {
  const configured: ProviderKey = { ...key, ...withSettings(key, change) }
  if (renewed === undefined) return configured
  const { fingerprint, outcome, value } = renewed
  const unverified = withValue(configured, { hint: providerKeyHint(value), fingerprint })
  return outcome === undefined ? unverified : afterProbe(unverified, outcome, now)
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
      const noteOverrides = yield* Overrides.use((overrides) => overrides.hold(workspaceId, command.id))
      const changes = yield* store.update(workspaceId, command.id, (key) => {
        if (refusalOf(command, key) !== undefined) return undefined
        const after = withChange(key, command, renewed, now)
        if (renewed === undefined && changedMembers(key, after).length === 0) return undefined
        return { key: { ...after, version: key.version + 1 }, sealed: renewed?.sealed }
      })
      if (changes === undefined) return yield* new ProviderKeyNotFound()
      const { after, before } = changes
      // The update above has left a refused key as it was.
      const refusal = refusalOf(command, before)
      if (refusal !== undefined) return yield* refusal
      if (after.version !== before.version) {
        const names = changedMembers(before, after)
        // The same value, given again, is the workspace's own from then on, too.
        yield* noteOverrides(renewed === undefined ? names : [...names, "key"])
        yield* recordKey("updated", actor, after, { changed: names, version: after.version })
      }
      return after
    })
  )
})
