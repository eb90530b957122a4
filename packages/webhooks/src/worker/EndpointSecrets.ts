import type { SecretBox } from "@agent-platform/kernel"
import { type DateTime, Effect, type Redacted } from "effect"
import { type Endpoint, type EndpointId, liveSecrets, secretPlace } from "../Endpoint.ts"

/** Opened secrets that a worker keeps at most: those that it opened last. */
const SECRETS_MAX = 2_000

/**
 * The signing secrets of endpoints, opened by this box. Opened secrets are remembered in this process, and the oldest
 * forgotten first: opening one costs several times what signing with it does. Entries are found by the sealed text,
 * which changes with the secret, so none is stale.
 */
export const makeEndpointSecrets = (box: Pick<SecretBox["Service"], "open">) => {
  const opened = new Map<string, { readonly endpointId: EndpointId; readonly secret: Redacted.Redacted }>()

  // A secret that is sealed for one endpoint must not open at another, also when it is remembered.
  const find = (endpointId: EndpointId, sealed: string) => {
    const known = opened.get(sealed)
    return known?.endpointId === endpointId ? known.secret : undefined
  }

  const remember = (endpointId: EndpointId, sealed: string, secret: Redacted.Redacted) => {
    opened.set(sealed, { endpointId, secret })
    for (const oldest of opened.keys()) {
      if (opened.size <= SECRETS_MAX) break
      opened.delete(oldest)
    }
  }

  const open = (endpointId: EndpointId, sealed: string) => {
    const secret = find(endpointId, sealed)
    if (secret !== undefined) return Effect.succeed(secret)
    return Effect.tap(box.open(secretPlace(endpointId), sealed), (found) =>
      Effect.sync(() => remember(endpointId, sealed, found))
    )
  }

  return {
    /** The secrets that sign at this time, the current one first; undefined when one of them was not opened here before. */
    known: (endpoint: Endpoint, now: DateTime.Utc): ReadonlyArray<Redacted.Redacted> | undefined => {
      const secrets: Array<Redacted.Redacted> = []
      for (const sealed of liveSecrets(endpoint, now)) {
        const secret = find(endpoint.id, sealed)
        if (secret === undefined) return undefined
        secrets.push(secret)
      }
      return secrets
    },
    /** The same, opened if need be. */
    open: (endpoint: Endpoint, now: DateTime.Utc) =>
      Effect.forEach(liveSecrets(endpoint, now), (sealed) => open(endpoint.id, sealed))
  }
}
