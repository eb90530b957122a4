import type { FeedLog, UnitOfWork } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { Digest, Mac, SecureRandom } from "effect/crypto"
import { IdentityProvider } from "./ports/IdentityProvider.ts"
import type { LoginStore } from "./ports/LoginStore.ts"
import type { MemberStore } from "./ports/MemberStore.ts"
import { beginLogin } from "./use-cases/login/beginLogin.ts"
import { completeLogin } from "./use-cases/login/completeLogin.ts"
import { listSessions } from "./use-cases/login/listSessions.ts"
import { makeNoteUse } from "./use-cases/login/makeNoteUse.ts"
import { recogniseSession } from "./use-cases/login/recogniseSession.ts"
import { revokeSession } from "./use-cases/login/revokeSession.ts"

/** What an embedder provides. */
export type LoginsPorts =
  | IdentityProvider
  | LoginStore
  | MemberStore
  | FeedLog
  | UnitOfWork
  | SecureRandom.SecureRandom
  | Digest.Digest
  | Mac.Mac

const make = Effect.gen(function* () {
  const ports = yield* Effect.context<LoginsPorts>()
  const { providers } = yield* IdentityProvider
  const bind =
    <Args extends ReadonlyArray<unknown>, A, E>(useCase: (...args: Args) => Effect.Effect<A, E, LoginsPorts>) =>
    (...args: Args): Effect.Effect<A, E> =>
      Effect.provideContext(useCase(...args), ports)
  return {
    /** The names of the identity providers that people can come through. */
    providers,
    beginLogin: bind(beginLogin),
    completeLogin: bind(completeLogin),
    recogniseSession: bind(recogniseSession),
    /** Notes that a session is being used, beside the request that uses it. */
    noteUse: yield* makeNoteUse,
    listSessions: bind(listSessions),
    revokeSession: bind(revokeSession)
  }
})

/** Logins of people and their sessions: every use case, bound to its ports when the layer is built. */
export class Logins extends Context.Service<Logins, Effect.Success<typeof make>>()("@agent-platform/keys/Logins") {
  static readonly layer: Layer.Layer<Logins, never, LoginsPorts> = Layer.effect(Logins, make)
}
