import { Effect, Layer, type Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SecretBox, SecretUnreadable } from "../ports/SecretBox.ts"

/** Keeps secrets in this process and hands out a random handle for each; nothing outlives the process. */
export const layerSecretBox: Layer.Layer<SecretBox, never, SecureRandom.SecureRandom> = Layer.effect(
  SecretBox,
  SecureRandom.SecureRandom.use((random) => {
    const kept = new Map<string, { readonly place: string; readonly secret: Redacted.Redacted }>()
    return Effect.succeed(
      SecretBox.of({
        seal: (place, secret) =>
          Effect.map(random.uuidV4(), (handle) => {
            kept.set(handle, { place, secret })
            return handle
          }),
        open: (place, sealed) =>
          Effect.suspend(() => {
            const found = kept.get(sealed)
            return found?.place === place
              ? Effect.succeed(found.secret)
              : Effect.fail(new SecretUnreadable({ reason: "altered" }))
          })
      })
    )
  })
)
