import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import type { ProviderKey, ProviderKeyId } from "../../ProviderKey.ts"
import { afterProbe, type ProbeOutcome } from "../../ProviderKeyHealth.ts"
import { providerKeyFingerprint } from "../../ProviderKeyValue.ts"
import { ProviderKeyStore, type SealedProviderKey } from "../../ports/ProviderKeyStore.ts"
import { ProviderProbe } from "../../ports/ProviderProbe.ts"
import { recordKey, SYSTEM } from "./keyActivity.ts"
import { notifyInvalidated } from "./keyInvalidated.ts"
import { openKey } from "./openKey.ts"

/** How many keys are read at a time. */
const PAGE = 100

/** How many providers are asked at once. */
const CONCURRENCY = 8

/** The provider is not asked about a key that was used with success, or accepted, within this many hours. */
export const FRESH_HOURS = 5

/** The counts of a round over every key. */
export interface ProbedKeys {
  readonly asked: number
  readonly fresh: number
  readonly invalidated: number
  readonly recovered: number
  /** Keys whose provider was out of reach or cannot be asked. */
  readonly undecided: number
  readonly unreadable: number
}

type Finding = Exclude<keyof ProbedKeys, "asked"> | "unchanged"

const isFresh = (key: ProviderKey, now: DateTime.Utc): boolean =>
  key.status === "active" &&
  [key.lastUsedAt, key.lastValidatedAt].some(
    (at) => at !== null && DateTime.isLessThan(now, DateTime.add(at, { hours: FRESH_HOURS }))
  )

/** Writes the outcome. It is about the probed value only, so it is dropped when another value has replaced that one. */
export const writeOutcome = Effect.fnUntraced(function* (asked: ProviderKey, outcome: ProbeOutcome) {
  const store = yield* ProviderKeyStore
  const now = yield* DateTime.now
  return yield* store.update(asked.workspaceId, asked.id, (key) =>
    key.status === "revoked" || key.fingerprint !== asked.fingerprint
      ? undefined
      : { key: afterProbe(key, outcome, now) }
  )
})

/** Writes the outcome, and returns its effect on the key. */
const settle = Effect.fnUntraced(function* (asked: ProviderKey, outcome: ProbeOutcome) {
  const changes = yield* writeOutcome(asked, outcome)
  if (changes === undefined) return "unchanged"
  const { after, before } = changes
  if (after.status === "invalid" && before.status !== "invalid") {
    const { providerCode = null, providerStatus = null } = after.lastError ?? {}
    yield* notifyInvalidated(after, { providerCode, providerStatus }, undefined)
    return "invalidated"
  }
  if (before.status === "invalid" && after.status !== "invalid" && after.status !== "revoked") {
    yield* recordKey("recovered", SYSTEM, after)
    return "recovered"
  }
  return "unchanged"
}, atomic)

/** The key with its fingerprint. A key without one gets it now: an earlier release stored another digest, which was removed. */
const withFingerprint = Effect.fnUntraced(function* (key: ProviderKey, value: Redacted.Redacted) {
  if (key.fingerprint !== "") return key
  const store = yield* ProviderKeyStore
  const fingerprint = yield* providerKeyFingerprint(value)
  const changes = yield* atomic(
    store.update(key.workspaceId, key.id, (now) =>
      now.fingerprint === "" ? { key: { ...now, fingerprint } } : undefined
    )
  )
  return changes?.after ?? key
})

const probeOne = Effect.fnUntraced(function* (one: SealedProviderKey) {
  const { key } = one
  const probe = yield* ProviderProbe
  const fresh = isFresh(key, yield* DateTime.now)
  if (fresh && key.fingerprint !== "") return "fresh"
  const value = yield* openKey(one)
  if (value === undefined) return "unreadable"
  const asked = yield* withFingerprint(key, value)
  if (fresh) return "fresh"
  const { baseUrl, provider } = asked
  const outcome = yield* probe.probe({ provider, baseUrl, key: value })
  if (outcome.type === "unreachable" || outcome.type === "unsupported") return "undecided"
  return yield* settle(asked, outcome)
})

/**
 * Goes through the keys of all workspaces, and asks the providers about those that have not been in use lately, a few at a time.
 * Changes the states of the keys, and reports those that became invalid. Begins after the key `after`; `onPage` is called after every
 * page with the number of keys so far and the last of them. Keys without a fingerprint get one. It can be repeated, and called several
 * times at once.
 */
export const probeProviderKeys = useCase("providerKeys.probeAll")(function* (
  options: {
    readonly after?: ProviderKeyId | undefined
    readonly onPage?: ((seen: number, last: ProviderKeyId) => Effect.Effect<void>) | undefined
  } = {}
) {
  const store = yield* ProviderKeyStore
  const counts = { fresh: 0, invalidated: 0, recovered: 0, undecided: 0, unreadable: 0, unchanged: 0 }
  let last = options.after
  let seen = 0
  while (true) {
    const page = yield* store.everyKey(last, PAGE)
    const findings: ReadonlyArray<Finding> = yield* Effect.forEach(page, probeOne, { concurrency: CONCURRENCY })
    for (const finding of findings) counts[finding]++
    seen += page.length
    last = page.at(-1)?.key.id
    if (last === undefined) break
    if (options.onPage !== undefined) yield* options.onPage(seen, last)
  }
  const { fresh, unchanged, ...found } = counts
  const asked = unchanged + found.invalidated + found.recovered + found.undecided
  const probed: ProbedKeys = { ...found, fresh, asked }
  return probed
})
