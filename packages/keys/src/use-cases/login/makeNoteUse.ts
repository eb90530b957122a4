import { UnitOfWork } from "@agent-platform/kernel"
import { DateTime, Effect, type Scope } from "effect"
import { type LoginSession, type LoginSessionId, SESSION_SEEN_SECONDS } from "../../LoginSession.ts"
import { LoginStore } from "../../ports/LoginStore.ts"

/**
 * Makes the noting of uses, which never holds up who notes one: it is written beside the request, at most once a minute for
 * each session over all processes, and dropped where the store is away. Ends with the scope.
 */
export const makeNoteUse: Effect.Effect<
  (session: LoginSession) => Effect.Effect<void>,
  never,
  LoginStore | UnitOfWork | Scope.Scope
> = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const store = yield* LoginStore
  const unit = yield* UnitOfWork
  const beingNoted = new Set<LoginSessionId>()
  return Effect.fnUntraced(function* ({ id, lastSeenAt }: LoginSession) {
    const now = yield* DateTime.now
    const unlessSince = DateTime.subtract(now, { seconds: SESSION_SEEN_SECONDS })
    if (DateTime.isGreaterThan(lastSeenAt, unlessSince) || beingNoted.has(id)) return
    beingNoted.add(id)
    yield* unit.atomic(store.noteUse(id, now, unlessSince)).pipe(
      Effect.catchCause((cause) => Effect.logDebug("The use of a session was not noted", cause)),
      Effect.ensuring(Effect.sync(() => beingNoted.delete(id))),
      Effect.forkIn(scope)
    )
  })
})
