import type { SecretBox, SecretUnreadable } from "@agent-platform/kernel"
import { type DateTime, Effect, type Redacted } from "effect"
import { type Endpoint, liveSecrets, secretPlace } from "./Endpoint.ts"

/** Opened secrets that a worker keeps at most: those of its busiest endpoints. */
const SECRETS_MAX = 2_000

/** The signing secrets of endpoints, opened. */
export interface EndpointSecrets {
  /** The secrets that sign at this time, the current one first; undefined when one of them was not opened here before. */
  readonly known: (endpoint: Endpoint, now: DateTime.Utc) => ReadonlyArray<Redacted.Redacted> | undefined
  /** The same, opened if need be. */
  readonly open: (
    endpoint: Endpoint,
    now: DateTime.Utc
  ) => Effect.Effect<ReadonlyArray<Redacted.Redacted>, SecretUnreadable>
}

/**
 * Secrets by this box. What was opened is remembered in this process, the oldest forgotten first: opening one costs several
 * times what signing with it does. A secret that is replaced is sealed anew, so nothing stale is found.
 */
export const makeEndpointSecrets = (box: Pick<SecretBox["Service"], "open">): EndpointSecrets => {
  const opened = new Map<string, { readonly place: string; readonly secret: Redacted.Redacted }>()

  // What is sealed for one place does not open at another, remembered or not.
  const find = (place: string, sealed: string) => {
    const known = opened.get(sealed)
    return known?.place === place ? known.secret : undefined
  }

  const remember = (place: string, sealed: string, secret: Redacted.Redacted) => {
    opened.set(sealed, { place, secret })
    for (const oldest of opened.keys()) {
      if (opened.size <= SECRETS_MAX) break
      opened.delete(oldest)
    }
  }

  const open = (place: string, sealed: string) => {
    const secret = find(place, sealed)
    if (secret !== undefined) return Effect.succeed(secret)
    return Effect.tap(box.open(place, sealed), (found) => Effect.sync(() => remember(place, sealed, found)))
  }

  return {
    known: (endpoint, now) => {
      const place = secretPlace(endpoint.id)
      const secrets: Array<Redacted.Redacted> = []
      for (const sealed of liveSecrets(endpoint, now)) {
        const secret = find(place, sealed)
        if (secret === undefined) return undefined
        secrets.push(secret)
      }
      return secrets
    },
    open: (endpoint, now) => {
      const place = secretPlace(endpoint.id)
      return Effect.forEach(liveSecrets(endpoint, now), (sealed) => open(place, sealed))
    }
  }
}
