import type { SecretBox } from "@agent-platform/kernel"
import { Effect, type Redacted } from "effect"

/** Opened secrets that a worker keeps at most: those of its busiest endpoints. */
const SECRETS_MAX = 2_000

/**
 * A secret box that remembers what it has opened, in this process and the oldest forgotten first: opening one costs several
 * times what signing with it does. A secret that is replaced is sealed anew, so nothing stale is found.
 */
export const rememberingSecrets = (box: SecretBox["Service"]): SecretBox["Service"] => {
  const opened = new Map<string, { readonly place: string; readonly secret: Redacted.Redacted }>()
  const remember = (place: string, sealed: string, secret: Redacted.Redacted) => {
    opened.set(sealed, { place, secret })
    for (const oldest of opened.keys()) {
      if (opened.size <= SECRETS_MAX) break
      opened.delete(oldest)
    }
  }
  return {
    seal: box.seal,
    reseal: box.reseal,
    open: (place, sealed) => {
      const known = opened.get(sealed)
      // What is sealed for one place does not open at another, remembered or not.
      return known?.place === place
        ? Effect.succeed(known.secret)
        : Effect.tap(box.open(place, sealed), (secret) => Effect.sync(() => remember(place, sealed, secret)))
    }
  }
}
