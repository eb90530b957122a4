/** The sessions of a person. Spec: OAuth. */
import { Api, CurrentCaller } from "@agent-platform/contract"
import { endOf, type LoginSession, LoginSessionId, Logins } from "@agent-platform/keys"
import { DateTime, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { clearSessionCookie } from "../cookies.ts"
import { makeCursors } from "../cursors.ts"
import { notFound } from "../edge/problems.ts"
import { idOf } from "../ids.ts"

const PATH = "/api/v1/auth/sessions"

/** The person who calls. Authentication has refused callers with a key. */
const currentPerson = Effect.gen(function* () {
  const { actor, credential } = yield* CurrentCaller
  if (credential.type !== "session") return yield* notFound()
  return { actor, sessionId: credential.id, userId: credential.user.id }
})

const sessionView = (session: LoginSession, currentId: string) => ({
  ...session,
  expiresAt: endOf(session),
  ip: session.clientAddress,
  current: session.id === currentId
})

/** Handlers of a person's sessions, logging out included. */
export const layerLoginSessions = HttpApiBuilder.group(
  Api,
  "loginSessions",
  Effect.fnUntraced(function* (handlers) {
    const logins = yield* Logins
    const cursors = yield* makeCursors

    const revoke = Effect.fnUntraced(function* (session: string) {
      const { actor, userId } = yield* currentPerson
      const id = yield* idOf(LoginSessionId, session)
      return yield* logins.revokeSession({ userId, actor, id }).pipe(Effect.catchTag("LoginSessionNotFound", notFound))
    })

    return handlers.handleAll({
      logout: Effect.fnUntraced(function* () {
        const { sessionId } = yield* currentPerson
        yield* revoke(sessionId)
        return clearSessionCookie(HttpServerResponse.empty({ status: 204 }))
      }),

      listLoginSessions: Effect.fnUntraced(function* ({ query }) {
        const { sessionId, userId } = yield* currentPerson
        const scope = { route: `GET ${PATH}`, owner: userId, filters: {} }
        return yield* cursors.page(
          scope,
          query,
          (page) => logins.listLoginSessions({ userId, page }),
          (session) => sessionView(session, sessionId)
        )
      }),

      revokeSession: Effect.fnUntraced(function* ({ params }) {
        const session = yield* revoke(params.session_id)
        return { id: session.id, status: "revoked" as const, revokedAt: session.revokedAt ?? (yield* DateTime.now) }
      })
    })
  })
)
