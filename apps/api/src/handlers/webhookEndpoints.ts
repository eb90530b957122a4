/** The endpoints of an organization. Spec: Organization webhooks. */
import { CurrentCaller, type webhooks as contract, webhookEventOf } from "@agent-platform/contract"
import { EndpointId, Webhooks } from "@agent-platform/webhooks"
import { Effect, identity, Redacted } from "effect"
import { type ListCall, makeCursors } from "../cursors.ts"
import { idempotencyProblems } from "../edge/problems.ts"
import { acceptance, type Creating, creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"
import { quotaProblems } from "../quotas.ts"
import { deliveryView } from "../views/webhookViews.ts"
import { webhookProblems } from "./webhookProblems.ts"

const PATH = "/api/v1/org/webhooks"

/** A request about one endpoint. */
export interface EndpointCall {
  readonly params: { readonly endpoint_id: string }
}

interface CreateCall<Payload> extends Creating {
  readonly payload: Payload
}

const revealed = (secret: Redacted.Redacted | null) => (secret === null ? null : Redacted.value(secret))

/** The caller and the endpoint that the path names. */
export const endpointOf = Effect.fnUntraced(function* ({ params }: EndpointCall) {
  const caller = yield* CurrentCaller
  return { caller, endpointId: yield* idOf(EndpointId, params.endpoint_id) }
})

/** The handlers for endpoints themselves. */
export const makeEndpointHandlers = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const cursors = yield* makeCursors
  const idempotencyOf = yield* makeIdempotencyOf
  const { DeliveryNotFound, EndpointInactive, EndpointLimitReached, EndpointNotFound, UrlNotPublic } = webhookProblems

  return {
    registerEndpoint: Effect.fnUntraced(function* (call: CreateCall<typeof contract.NewEndpoint.Type>) {
      const caller = yield* CurrentCaller
      const { description, eventTypes, url } = call.payload
      const registered = yield* webhooks
        .registerEndpoint({
          caller,
          url,
          eventTypes,
          description: description ?? null,
          idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.organizationId, call)
        })
        .pipe(
          Effect.catchTags({
            ...idempotencyProblems,
            ...quotaProblems,
            UrlNotPublic,
            EndpointLimitReached,
            EndpointNotFound
          })
        )
      const { endpoint, secret } = registered.value
      return creation({ ...endpoint, secret: revealed(secret) }, registered.replayed)
    }),

    listEndpoints: Effect.fnUntraced(function* ({ query }: ListCall) {
      const caller = yield* CurrentCaller
      const scope = { route: `GET ${PATH}`, owner: caller.organizationId, filters: {} }
      return yield* cursors.page(scope, query, (page) => webhooks.listEndpoints({ caller, page }), identity)
    }),

    getEndpoint: Effect.fnUntraced(function* (call: EndpointCall) {
      return yield* webhooks.readEndpoint(yield* endpointOf(call)).pipe(Effect.catchTags({ EndpointNotFound }))
    }),

    updateEndpoint: Effect.fnUntraced(function* (
      call: EndpointCall & { readonly payload: typeof contract.NewEndpointDetails.Type }
    ) {
      return yield* webhooks
        .updateEndpoint({ ...(yield* endpointOf(call)), change: call.payload })
        .pipe(Effect.catchTags({ EndpointNotFound, EndpointInactive, EndpointLimitReached, UrlNotPublic }))
    }),

    enableEndpoint: Effect.fnUntraced(function* (call: EndpointCall) {
      return yield* webhooks
        .enableEndpoint(yield* endpointOf(call))
        .pipe(Effect.catchTags({ EndpointNotFound, EndpointInactive, EndpointLimitReached }))
    }),

    deleteEndpoint: Effect.fnUntraced(function* (call: EndpointCall) {
      return yield* webhooks.deleteEndpoint(yield* endpointOf(call)).pipe(Effect.catchTags({ EndpointNotFound }))
    }),

    rotateSecret: Effect.fnUntraced(function* (call: EndpointCall & CreateCall<typeof contract.NewSecret.Type>) {
      const { caller, endpointId } = yield* endpointOf(call)
      const rotated = yield* webhooks
        .rotateSecret({
          caller,
          endpointId,
          graceSeconds: call.payload.graceSeconds,
          idempotency: yield* idempotencyOf(`POST ${PATH}/${endpointId}/rotate-secret`, caller.organizationId, call)
        })
        .pipe(Effect.catchTags({ ...idempotencyProblems, EndpointNotFound, EndpointInactive }))
      const { endpoint, secret } = rotated.value
      const previousSecretExpiresAt = endpoint.retiringSecrets[0]?.expiresAt ?? null
      return creation({ ...endpoint, secret: revealed(secret), previousSecretExpiresAt }, rotated.replayed)
    }),

    testEndpoint: Effect.fnUntraced(function* (call: EndpointCall & CreateCall<typeof contract.NewTestEvent.Type>) {
      const { caller, endpointId } = yield* endpointOf(call)
      const sent = yield* webhooks
        .sendTestEvent({
          caller,
          endpointId,
          kind: webhookEventOf(call.payload.eventType),
          idempotency: yield* idempotencyOf(`POST ${PATH}/${endpointId}/test`, caller.organizationId, call)
        })
        .pipe(Effect.catchTags({ ...idempotencyProblems, EndpointNotFound, EndpointInactive, DeliveryNotFound }))
      const location = `${PATH}/${endpointId}/deliveries/${sent.value.eventId}`
      return acceptance(deliveryView(sent.value, []), location, sent.replayed)
    })
  }
})
