/** Ends streams and waiting requests whose credential is not accepted any more. docs/http.md, Authentication. */
import type { BadRequest, EndpointAccess, Forbidden, NotFound, Unauthorized } from "@agent-platform/contract"
import type { Keys, Logins } from "@agent-platform/keys"
import { Cause, Context, Deferred, Effect, Layer, RcMap } from "effect"
import { demand } from "./access.ts"
import type { Credential } from "./credentials.ts"
import { unanswered } from "./edge/problems.ts"
import { ANSWER_SECONDS_MAX, within } from "./edge/within.ts"
import { makeRecheckKey, type Readmit } from "./recogniseKey.ts"
import { makeRecogniseSession } from "./recogniseSession.ts"

/** The problem with which a credential that was accepted is refused later. */
export type Refusal = BadRequest | Unauthorized | Forbidden | NotFound

/** How often a credential is read again while streams or waiting requests use it. */
export const WATCH_SECONDS = 1

/**
 * Fails once the current request's credential is not accepted any more, and never completes otherwise. Streams and long polls
 * are raced with it, so that a revocation ends them, too.
 */
export const UntilRefused = Context.Reference<Effect.Effect<never, Refusal>>("@agent-platform/api/UntilRefused", {
  defaultValue: () => Effect.never
})

/** The facts by which a long-lived response was admitted: from its request, and the access that its endpoint demands. */
export interface Admission {
  readonly credential: Credential
  /** The workspace that the request names, in the caller's own words. */
  readonly workspace: string | undefined
  readonly clientAddress: string | undefined
  readonly access: EndpointAccess
}

/** A long-lived response that is being watched. */
interface Watched extends Admission {
  /** Fails once the response is to end. */
  readonly end: Deferred.Deferred<never, Refusal>
}

/** Reads a credential once for any number of responses. A key is then checked against the address of each. */
const makeRecheck = Effect.gen(function* () {
  const recheckKey = yield* makeRecheckKey
  const recogniseSession = yield* makeRecogniseSession
  return ({ type, value }: Credential, workspace: string | undefined): Effect.Effect<Readmit, Refusal> =>
    type === "api_key"
      ? recheckKey(value, workspace)
      : Effect.map(
          recogniseSession(value, workspace),
          ({ caller }) =>
            () =>
              Effect.succeed(caller)
        )
})

// Ending a stream takes a moment, so it yields: thousands of them in a row would block every other request.
const endOne = ({ end }: Watched, refusal: Refusal) => Effect.andThen(Deferred.fail(end, refusal), Effect.yieldNow)

/**
 * Watches the credentials of long-lived responses, and ends the responses whose endpoint would refuse the credential now. Each
 * credential is read once for all of its responses that name the same workspace; reads at the same time share a statement.
 */
export class CredentialWatch extends Context.Service<
  CredentialWatch,
  { readonly watch: (admission: Admission) => Effect.Effect<never, Refusal> }
>()("@agent-platform/api/CredentialWatch") {
  static readonly layer: Layer.Layer<CredentialWatch, never, Keys | Logins> = Layer.effect(
    CredentialWatch,
    Effect.gen(function* () {
      const recheck = yield* makeRecheck

      const recheckOne = (readmit: Readmit, one: Watched) =>
        readmit(one.clientAddress).pipe(
          Effect.andThen((caller) => demand(caller, one.access)),
          Effect.catch((refusal) => endOne(one, refusal))
        )

      const recheckInWorkspace = (credential: Credential, workspace: string | undefined, all: ReadonlyArray<Watched>) =>
        within(recheck(credential, workspace), ANSWER_SECONDS_MAX, (seconds) => Effect.die(unanswered(seconds))).pipe(
          Effect.matchEffect({
            onFailure: (refusal) => Effect.forEach(all, (one) => endOne(one, refusal), { discard: true }),
            onSuccess: (readmit) => Effect.forEach(all, (one) => recheckOne(readmit, one), { discard: true })
          }),
          // A store that is out of reach ends no response.
          Effect.catchCause((cause) => (Cause.hasDies(cause) ? Effect.void : Effect.failCause(cause)))
        )

      const recheckAll = (credential: Credential, watched: ReadonlySet<Watched>) =>
        Effect.suspend(() =>
          Effect.forEach(
            Map.groupBy(watched, ({ workspace }) => workspace),
            ([workspace, all]) => recheckInWorkspace(credential, workspace, all),
            { concurrency: "unbounded", discard: true }
          )
        )

      /** The watched responses of each credential, found by its value, with the fiber that rechecks them while there are any. */
      const watches = yield* RcMap.make({
        lookup: Effect.fnUntraced(function* (credential: Credential) {
          const watched = new Set<Watched>()
          yield* Effect.forkScoped(
            Effect.forever(Effect.andThen(Effect.sleep(`${WATCH_SECONDS} seconds`), recheckAll(credential, watched)))
          )
          return watched
        })
      })

      const watch = Effect.fnUntraced(function* (admission: Admission) {
        const watched = yield* RcMap.get(watches, admission.credential)
        const one: Watched = { ...admission, end: yield* Deferred.make<never, Refusal>() }
        yield* Effect.acquireRelease(
          Effect.sync(() => watched.add(one)),
          () => Effect.sync(() => watched.delete(one))
        )
        return yield* Deferred.await(one.end)
      }, Effect.scoped)

      return { watch }
    })
  )
}
