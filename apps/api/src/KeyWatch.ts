/** Ends what goes on for long once its credential does not hold any more. docs/http.md, Authentication. */
import type { BadRequest, Caller, EndpointAccess, Forbidden, NotFound, Unauthorized } from "@agent-platform/contract"
import type { Keys, Logins } from "@agent-platform/keys"
import { Cause, Context, Deferred, Effect, Layer, RcMap } from "effect"
import { demand } from "./access.ts"
import type { Credential } from "./credentials.ts"
import { unanswered } from "./edge/problems.ts"
import { ANSWER_SECONDS_MAX, within } from "./edge/within.ts"
import { makeRecheckKey } from "./recogniseKey.ts"
import { makeRecogniseSession } from "./recogniseSession.ts"

/** Why a credential that was accepted is not accepted any more. */
export type Refusal = BadRequest | Unauthorized | Forbidden | NotFound

/** How often a credential is read again while streams or waiting answers hold it. */
export const WATCH_SECONDS = 1

/**
 * Fails once the current request's credential does not hold any more; runs for ever otherwise. What goes on for longer is
 * raced with it, so that a revocation ends streams and long polls, too.
 */
export const KeyWatch = Context.Reference<Effect.Effect<never, Refusal>>("@agent-platform/api/KeyWatch", {
  defaultValue: () => Effect.never
})

/** How an answer was let in, and what its endpoint demands. */
export interface Admission {
  readonly credential: Credential
  /** The workspace that the request names, as it was sent. */
  readonly workspace: string | undefined
  readonly clientAddress: string | undefined
  readonly access: EndpointAccess
}

/** An answer that goes on. */
interface Watched extends Admission {
  readonly ended: Deferred.Deferred<never, Refusal>
}

/** Reads a credential once for any number of answers. Of a key it depends on each one's address who is let in. */
const makeRecheck = Effect.gen(function* () {
  const recheckKey = yield* makeRecheckKey
  const recogniseSession = yield* makeRecogniseSession
  return (
    { type, value }: Credential,
    workspace: string | undefined
  ): Effect.Effect<(clientAddress: string | undefined) => Effect.Effect<Caller, Refusal>, Refusal> =>
    type === "api_key"
      ? recheckKey(value, workspace)
      : Effect.map(
          recogniseSession(value, workspace),
          ({ caller }) =>
            () =>
              Effect.succeed(caller)
        )
})

// Ending a stream takes a moment: thousands of them at once would hold everybody else up.
const end = ({ ended }: Watched, refusal: Refusal) => Effect.andThen(Deferred.fail(ended, refusal), Effect.yieldNow)

/**
 * Watches credentials: each is read once at a time, however many answers hold it, and ends those of them whose demand is not
 * met any more. One read is made for every workspace that they name; those of one moment are one statement.
 */
export class CredentialWatch extends Context.Service<
  CredentialWatch,
  { readonly watch: (admission: Admission) => Effect.Effect<never, Refusal> }
>()("@agent-platform/api/CredentialWatch") {
  static readonly layer: Layer.Layer<CredentialWatch, never, Keys | Logins> = Layer.effect(
    CredentialWatch,
    Effect.gen(function* () {
      const recheck = yield* makeRecheck

      const judge = (admit: (clientAddress: string | undefined) => Effect.Effect<Caller, Refusal>, one: Watched) =>
        admit(one.clientAddress).pipe(
          Effect.andThen((caller) => demand(caller, one.access)),
          Effect.catch((refusal) => end(one, refusal))
        )

      const lookAt = (credential: Credential, workspace: string | undefined, all: ReadonlyArray<Watched>) =>
        within(recheck(credential, workspace), ANSWER_SECONDS_MAX, (seconds) => Effect.die(unanswered(seconds))).pipe(
          Effect.matchEffect({
            onFailure: (refusal) => Effect.forEach(all, (one) => end(one, refusal), { discard: true }),
            onSuccess: (admit) => Effect.forEach(all, (one) => judge(admit, one), { discard: true })
          }),
          // A store that cannot be asked now does not end anything.
          Effect.catchCause((cause) => (Cause.hasDies(cause) ? Effect.void : Effect.failCause(cause)))
        )

      const look = (credential: Credential, watched: ReadonlySet<Watched>) =>
        Effect.suspend(() =>
          Effect.forEach(
            Map.groupBy(watched, ({ workspace }) => workspace),
            ([workspace, all]) => lookAt(credential, workspace, all),
            { concurrency: "unbounded", discard: true }
          )
        )

      const watches = yield* RcMap.make({
        lookup: Effect.fnUntraced(function* (credential: Credential) {
          const watched = new Set<Watched>()
          yield* Effect.forkScoped(
            Effect.forever(Effect.andThen(Effect.sleep(`${WATCH_SECONDS} seconds`), look(credential, watched)))
          )
          return watched
        })
      })

      const watch = Effect.fnUntraced(function* (admission: Admission) {
        const watched = yield* RcMap.get(watches, admission.credential)
        const one: Watched = { ...admission, ended: yield* Deferred.make<never, Refusal>() }
        yield* Effect.acquireRelease(
          Effect.sync(() => watched.add(one)),
          () => Effect.sync(() => watched.delete(one))
        )
        return yield* Deferred.await(one.ended)
      }, Effect.scoped)

      return { watch }
    })
  )
}
