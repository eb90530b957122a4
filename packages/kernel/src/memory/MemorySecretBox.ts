import { Context, Effect, Layer, type Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SecretBox, SecretUnreadable } from "../ports/SecretBox.ts"

/** Changes the key of the memory secret box. */
export class MemorySecretBox extends Context.Service<
  MemorySecretBox,
  {
    /** From now on the box seals under a new key, and opens what it sealed before. */
    readonly changeKey: Effect.Effect<void>
  }
>()("@agent-platform/kernel/MemorySecretBox") {}

interface Kept {
  readonly place: string
  readonly secret: Redacted.Redacted
  /** The key that it was sealed under, by its number: how often the key had been changed by then. */
  readonly key: number
}

/** Keeps secrets in this process and hands out a random handle for each; nothing outlives the process. */
export const layerSecretBox: Layer.Layer<SecretBox | MemorySecretBox, never, SecureRandom.SecureRandom> = Layer.unwrap(
  SecureRandom.SecureRandom.use((random) => {
    const kept = new Map<string, Kept>()
    let currentKey = 0

    const seal = (place: string, secret: Redacted.Redacted) =>
      Effect.map(random.uuidV4(), (handle) => {
        kept.set(handle, { place, secret, key: currentKey })
        return handle
      })
    const find = (place: string, sealed: string) =>
      Effect.suspend(() => {
        const found = kept.get(sealed)
        return found?.place === place ? Effect.succeed(found) : Effect.fail(new SecretUnreadable({ reason: "altered" }))
      })

    return Effect.succeed(
      Layer.merge(
        Layer.succeed(SecretBox, {
          seal,
          open: (place, sealed) => Effect.map(find(place, sealed), ({ secret }) => secret),
          reseal: (place, sealed) =>
            Effect.flatMap(find(place, sealed), ({ key, secret }) =>
              key === currentKey ? Effect.succeed(undefined) : seal(place, secret)
            )
        }),
        Layer.succeed(MemorySecretBox, {
          changeKey: Effect.sync(() => {
            currentKey++
          })
        })
      )
    )
  })
)
