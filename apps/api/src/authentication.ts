/** Who is calling, and may they? Spec: Authentication. */
import { Access, Authentication, type Caller, CurrentCaller } from "@agent-platform/contract"
import { type Keys, Logins } from "@agent-platform/keys"
import type { Runs } from "@agent-platform/runs"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import type { ApiSettings } from "./ApiSettings.ts"
import { demand } from "./access.ts"
import { makeDemandResource } from "./browserKeys.ts"
import { clientAddressOf } from "./clientAddress.ts"
import { credentialOf, valueOf } from "./credentials.ts"
import { CurrentRequest } from "./edge/CurrentRequest.ts"
import { answerFault } from "./edge/faults.ts"
import { CredentialWatch, KeyWatch } from "./KeyWatch.ts"
import { makeRateLimit } from "./rateLimits.ts"
import { makeRecogniseKey } from "./recogniseKey.ts"
import { demandCsrfToken, makeRecogniseSession } from "./recogniseSession.ts"

/** Finds out who calls an endpoint, over the services that keep the keys and the sessions. */
const makeIdentify = Effect.gen(function* () {
  const recogniseKey = yield* makeRecogniseKey
  const limitRate = yield* makeRateLimit
  const recogniseSession = yield* makeRecogniseSession
  const demandResource = yield* makeDemandResource
  const logins = yield* Logins
  const { watch } = yield* CredentialWatch

  // Before anything is demanded of the caller, so that the log names the refused one.
  const note = ({ credential, workspaceId }: Caller) =>
    Effect.map(CurrentRequest, ({ noted }) => {
      noted.workspaceId = workspaceId
      if (credential.type === "api_key") noted.keyId = credential.id
      else noted.userId = credential.user.id
    })

  // Requests count, refused ones included; what goes on for long is looked at again without being counted.
  const callerByKey = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    credential: Parameters<typeof recogniseKey>[0],
    workspace: string | undefined
  ) {
    const caller = yield* recogniseKey(credential, workspace, clientAddressOf(request))
    yield* note(caller)
    yield* limitRate(caller)
    return caller
  })

  // A stream that goes on does not keep the session alive: only requests count as its use.
  const callerBySession = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    secret: Parameters<typeof recogniseSession>[0],
    workspace: string | undefined
  ) {
    const { caller, session } = yield* recogniseSession(secret, workspace)
    yield* note(caller)
    yield* limitRate(caller)
    yield* demandCsrfToken(request, caller.credential)
    yield* logins.noteUse(session)
    return caller
  })

  /** Who calls this endpoint, and what finds out again for as long as the answer goes on. */
  return Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const credential = yield* credentialOf(request)
    const workspace = valueOf(request.headers, "x-workspace-id")
    const access = Context.getUnsafe(endpoint.annotations, Access)
    const caller: Caller = yield* credential.type === "api_key"
      ? callerByKey(request, credential.value, workspace)
      : callerBySession(request, credential.value, workspace)
    yield* demand(caller, access)
    yield* demandResource(caller, access)
    // A scope or a role that is taken away ends what goes on for long as a revocation does.
    return { caller, watch: watch({ credential, workspace, clientAddress: clientAddressOf(request), access }) }
  })
})

/** Authentication over the services that keep the keys, the sessions, and the runs that browser keys read. */
export const layerAuthentication: Layer.Layer<
  Authentication,
  never,
  Keys | Logins | Runs | ApiSettings | CredentialWatch
> = Layer.effect(
  Authentication,
  Effect.map(makeIdentify, (identify) => {
    // Every scheme ends here, since any of them may hold the credential. Failures are answered at once: a failure of
    // one scheme would have the next tried, and the store asked again.
    const guard: Context.Service.Shape<typeof Authentication>["bearer"] = (respond, { endpoint }) =>
      Effect.matchCauseEffect(identify(endpoint), {
        onFailure: answerFault,
        onSuccess: ({ caller, watch }) =>
          Effect.updateContext(respond, (context: Context.Context<never>) =>
            context.pipe(Context.add(CurrentCaller, caller), Context.add(KeyWatch, watch))
          )
      })
    return Authentication.of({ bearer: guard, apiKey: guard, session: guard })
  })
)
