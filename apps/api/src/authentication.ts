/** Who is calling, and may they? Contract: Identity and keys. */
import { Access, Authentication, CurrentCaller } from "@agent-platform/contract"
import type { Keys } from "@agent-platform/keys"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { demand } from "./access.ts"
import { credentialOf, valueOf } from "./credentials.ts"
import { answerFault } from "./edge/faults.ts"
import { KeyWatch, watchKey } from "./KeyWatch.ts"
import { makeRecogniseKey } from "./recogniseKey.ts"

/** Authentication over the service that keeps the keys. */
export const layerAuthentication: Layer.Layer<Authentication, never, Keys> = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const recogniseKey = yield* makeRecogniseKey

    // Both schemes end here, since either header may hold the credential. Failures are answered at once: a failure of
    // one scheme would have the other tried, and the store asked twice.
    const guard: Context.Service.Shape<typeof Authentication>["bearer"] = (respond, { endpoint }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const credential = yield* credentialOf(request)
        const recognise = recogniseKey(credential, valueOf(request.headers, "x-workspace-id"))
        const caller = yield* recognise
        yield* demand(caller, Context.getUnsafe(endpoint.annotations, Access))
        return { caller, watch: watchKey(recognise) }
      }).pipe(
        Effect.matchCauseEffect({
          onFailure: answerFault,
          onSuccess: ({ caller, watch }) =>
            respond.pipe(Effect.provideService(CurrentCaller, caller), Effect.provideService(KeyWatch, watch))
        })
      )
    return Authentication.of({ bearer: guard, apiKey: guard })
  })
)
