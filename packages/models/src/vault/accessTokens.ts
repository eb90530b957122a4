/** The access tokens of a process: each is fetched once, for all who wait for it, and kept until shortly before it expires. */
import { Egress } from "@agent-platform/kernel"
import { Cache, Effect, Exit, Redacted } from "effect"
import { type AccessToken, fetchAccessToken, type TokenClient } from "./fetchAccessToken.ts"
import type { SecretUnusable } from "./SecretUnusable.ts"

/** Most tokens that are kept; the one that was used the longest ago goes first. */
const TOKENS_MAX = 1_000

/** Tokens by their clients. A client that was changed, or whose secret was, is another one. */
export interface AccessTokens {
  readonly get: (client: TokenClient) => Effect.Effect<AccessToken, SecretUnusable>
  /** Forgets this token: its host refuses it. One that was fetched meanwhile stays. */
  readonly forget: (client: TokenClient, token: AccessToken) => Effect.Effect<void>
}

export const makeAccessTokens: Effect.Effect<AccessTokens, never, Egress> = Effect.gen(function* () {
  const egress = yield* Egress
  const cache = yield* Cache.makeWith((client: TokenClient) => fetchAccessToken(egress, client), {
    capacity: TOKENS_MAX,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? exit.value.keptMillis : 0)
  })
  return {
    get: (client) => Cache.get(cache, client),
    forget: (client, token) =>
      Effect.asVoid(
        Cache.invalidateWhen(cache, client, ({ value }) => Redacted.value(value) === Redacted.value(token.value))
      )
  }
})
