/** Recognises the caller of an endpoint and checks their access. Spec: Authentication. */
import { Access, Authentication, type Caller, CurrentCaller } from "@agent-platform/contract"
import { type Keys, Logins } from "@agent-platform/keys"
import type { Runs } from "@agent-platform/runs"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import type { ApiSettings } from "./ApiSettings.ts"
import { demand } from "./access.ts"
import { makeDemandResource } from "./browserKeys.ts"
import { CredentialWatch, UntilRefused } from "./CredentialWatch.ts"
import { clientAddressOf } from "./clientAddress.ts"
import { credentialOf, valueOf } from "./credentials.ts"
import { CurrentRequest } from "./edge/CurrentRequest.ts"
import { answerFault } from "./edge/faults.ts"
import { makeRateLimit } from "./rateLimits.ts"
import { makeRecogniseKey } from "./recogniseKey.ts"
import { demandCsrfToken, makeRecogniseSession } from "./recogniseSession.ts"

/** Makes the function that recognises and admits the caller of an endpoint. */
const makeIdentify = Effect.gen(function* () {
  const recogniseKey = yield* makeRecogniseKey
  const { limitCaller: limitRate } = yield* makeRateLimit
  const recogniseSession = yield* makeRecogniseSession
  const demandResource = yield* makeDemandResource
  const logins = yield* Logins
  const { watch } = yield* CredentialWatch

  // Called before any check, so that the log names a refused caller, too.
  const note = ({ credential, workspaceId }: Caller) =>
    Effect.map(CurrentRequest, ({ noted }) => {
      noted.workspaceId = workspaceId
      if (credential.type === "api_key") noted.keyId = credential.id
      else noted.userId = credential.user.id
    })

  // Every request counts against the rate limit, refused ones included. Later checks of a long response do not.
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

  // Only a request counts as a use of the session, so an open stream does not keep the session alive.
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

  /** Returns the caller of this endpoint, and an effect that fails once the endpoint would refuse the caller. */
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
    // The watch has the access as well: losing a scope or a role ends a long response, as a revocation does.
    return { caller, watch: watch({ credential, workspace, clientAddress: clientAddressOf(request), access }) }
  })
})

/** Authentication over the domain services. */
export const layerAuthentication: Layer.Layer<
  Authentication,
  never,
  Keys | Logins | Runs | ApiSettings | CredentialWatch
> = Layer.effect(
  Authentication,
  Effect.map(makeIdentify, (identify) => {
    // All schemes share this, since any of them may hold the credential. A refusal is turned into a response here: after a
    // failure of one scheme the next one would be tried, and the store asked again.
    const guard: Context.Service.Shape<typeof Authentication>["bearer"] = (respond, { endpoint }) =>
      Effect.matchCauseEffect(identify(endpoint), {
        onFailure: answerFault,
        onSuccess: ({ caller, watch }) =>
          Effect.updateContext(respond, (context: Context.Context<never>) =>
            context.pipe(Context.add(CurrentCaller, caller), Context.add(UntilRefused, watch))
          )
      })
    return Authentication.of({ bearer: guard, apiKey: guard, session: guard })
  })
)
