/** The endpoints of an organization. Spec: Organization webhooks. */
import { CurrentCaller, type webhooks as contract, webhookEventOf } from "@agent-platform/contract"
import { parseId } from "@agent-platform/kernel"
import { EndpointId, Webhooks } from "@agent-platform/webhooks"
import { Effect, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, notFound } from "../edge/problems.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { quotaProblems } from "../quotas.ts"
import { deliveryView, endpointView } from "../views/webhookViews.ts"
import { webhookProblems } from "./webhookProblems.ts"

const PATH = "/api/v1/org/webhooks"

interface EndpointCall {
  readonly params: { readonly endpoint_id: string }
}

interface CreateCall<Payload> {
  readonly payload: Payload
  readonly headers: { readonly "idempotency-key"?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

const revealed = (secret: Redacted.Redacted | null) => (secret === null ? null : Redacted.value(secret))

/** The caller and the endpoint that the path names; malformed ids are answered as unknown ones. */
export const endpointOf = Effect.fnUntraced(function* ({ params }: EndpointCall) {
  const caller = yield* CurrentCaller
  const endpointId = parseId(EndpointId, params.endpoint_id)
  return endpointId === undefined ? yield* notFound() : { caller, endpointId }
})

/** The handlers for endpoints themselves. */
export const makeEndpointHandlers = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const cursors = yield* makeCursors
  const idempotencyOf = yield* makeIdempotencyOf
  const { EndpointInactive, EndpointLimitReached, EndpointNotFound, UrlNotPublic } = webhookProblems

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
      return creation({ ...endpointView(endpoint), secret: revealed(secret) }, registered.replayed)
    }),

    listEndpoints: Effect.fnUntraced(function* (call: {
      readonly query: { readonly limit: number; readonly cursor?: string }
    }) {
      const caller = yield* CurrentCaller
      const scope = { route: `GET ${PATH}`, owner: caller.organizationId, filters: {} }
      const before = yield* cursors.read(scope, call.query.cursor)
      const page = yield* webhooks.listEndpoints({ caller, page: { limit: call.query.limit, before } })
      return { items: page.items.map(endpointView), nextCursor: cursors.write(scope, page.next) }
    }),

    getEndpoint: Effect.fnUntraced(function* (call: EndpointCall) {
      const found = yield* webhooks.readEndpoint(yield* endpointOf(call)).pipe(Effect.catchTags({ EndpointNotFound }))
      return endpointView(found)
    }),

    updateEndpoint: Effect.fnUntraced(function* (
      call: EndpointCall & { readonly payload: typeof contract.NewEndpointDetails.Type }
    ) {
      const updated = yield* webhooks
        .updateEndpoint({ ...(yield* endpointOf(call)), change: call.payload })
        .pipe(Effect.catchTags({ EndpointNotFound, EndpointInactive, EndpointLimitReached, UrlNotPublic }))
      return endpointView(updated)
    }),

    enableEndpoint: Effect.fnUntraced(function* (call: EndpointCall) {
      const enabled = yield* webhooks
        .enableEndpoint(yield* endpointOf(call))
        .pipe(Effect.catchTags({ EndpointNotFound, EndpointInactive, EndpointLimitReached }))
      return endpointView(enabled)
    }),

    deleteEndpoint: Effect.fnUntraced(function* (call: EndpointCall) {
      const gone = yield* webhooks.deleteEndpoint(yield* endpointOf(call)).pipe(Effect.catchTags({ EndpointNotFound }))
      return endpointView(gone)
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
      return creation(
        { ...endpointView(endpoint), secret: revealed(secret), previousSecretExpiresAt },
        rotated.replayed
      )
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
        .pipe(
          Effect.catchTags({
            ...idempotencyProblems,
            EndpointNotFound,
            EndpointInactive,
            DeliveryNotFound: webhookProblems.DeliveryNotFound
          })
        )
      return HttpApiSchema.withHeaders({
        body: deliveryView(sent.value, []),
        headers: {
          location: `${PATH}/${endpointId}/deliveries/${sent.value.eventId}`,
          ...(sent.replayed ? { "idempotency-replayed": "true" as const } : {})
        }
      })
    })
  }
})
