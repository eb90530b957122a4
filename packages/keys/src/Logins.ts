import { FeedLog, UnitOfWork } from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, DateTime, Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { type LoginSession, SESSION_SEEN_SECONDS } from "./LoginSession.ts"
import { IdentityProvider } from "./ports/IdentityProvider.ts"
import { LoginStore } from "./ports/LoginStore.ts"
import { MemberStore } from "./ports/MemberStore.ts"
import { TenancyStore } from "./ports/TenancyStore.ts"
import { makeUseNotes } from "./UseNotes.ts"
import { beginLogin } from "./use-cases/login/beginLogin.ts"
import { completeLogin } from "./use-cases/login/completeLogin.ts"
import { listLoginSessions } from "./use-cases/login/listLoginSessions.ts"
import { recogniseSession } from "./use-cases/login/recogniseSession.ts"
import { revokeSession } from "./use-cases/login/revokeSession.ts"

const make = Effect.gen(function* () {
  const { providers } = yield* IdentityProvider
  const store = yield* LoginStore
  const noteUse = yield* makeUseNotes({
    things: "sessions",
    idOf: (session: LoginSession) => session.id,
    lastUsedAt: (session) => session.lastSeenAt,
    apartSeconds: SESSION_SEEN_SECONDS,
    useOf: ({ id }, at) => ({ id, at, unlessSince: DateTime.subtract(at, { seconds: SESSION_SEEN_SECONDS }) }),
    write: (uses) =>
      Effect.forEach(uses, ({ at, id, unlessSince }) => store.noteUse(id, at, unlessSince), { discard: true })
  })
  const bind = yield* makeBind(
    IdentityProvider,
    LoginStore,
    MemberStore,
    TenancyStore,
    FeedLog,
    UnitOfWork,
    SecureRandom.SecureRandom,
    Digest.Digest
  )
  return {
    /** The names of the identity providers through which people can log in. */
    providers,
    beginLogin: bind(beginLogin),
    completeLogin: bind(completeLogin),
    recogniseSession: bind(recogniseSession),
    /** Notes the use of a session; the request does not wait for it. */
    noteUse,
    listLoginSessions: bind(listLoginSessions),
    revokeSession: bind(revokeSession)
  }
})

/** Logins of people and their sessions: every use case, bound to its ports when the layer is built. */
export class Logins extends Context.Service<Logins, Effect.Success<typeof make>>()("@agent-platform/keys/Logins") {
  static readonly layer = Layer.effect(Logins, make)
}

/** The ports that an embedder provides. */
export type LoginsPorts = Layer.Services<typeof Logins.layer>
