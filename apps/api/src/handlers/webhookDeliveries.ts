/** Deliveries and replays. Spec: Organization webhooks. */
import { CurrentCaller, type webhooks as contract } from "@agent-platform/contract"
import { EventId, parseId } from "@agent-platform/kernel"
import { ReplayId, Webhooks } from "@agent-platform/webhooks"
import { DateTime, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { makeIdempotencyOf } from "../idempotency.ts"
import { deliveryView, replayView } from "../views/webhookViews.ts"
import { endpointOf } from "./webhookEndpoints.ts"
import { webhookProblems } from "./webhookProblems.ts"

const PATH = "/api/v1/org/webhooks"

interface DeliveryCall {
  readonly params: { readonly endpoint_id: string; readonly delivery_id: string }
}

interface StartReplayCall {
  readonly params: { readonly endpoint_id: string }
  readonly payload: typeof contract.NewReplay.Type
  readonly headers: { readonly "idempotency-key"?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

const deliveryOf = Effect.fnUntraced(function* (call: DeliveryCall) {
  const endpoint = yield* endpointOf(call)
  const eventId = parseId(EventId, call.params.delivery_id)
  return eventId === undefined ? yield* notFound() : { ...endpoint, eventId }
})

/** The handlers for deliveries and for replays of ranges. */
export const makeDeliveryHandlers = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const idempotencyOf = yield* makeIdempotencyOf
  const { DeliveryNotFound, EndpointInactive, EndpointNotFound, ReplayNotFound, TooManyReplays } = webhookProblems

  return {
    listDeliveries: Effect.fnUntraced(function* (call: { readonly params: { readonly endpoint_id: string } }) {
      const deliveries = yield* webhooks
        .listDeliveries(yield* endpointOf(call))
        .pipe(Effect.catchTags({ EndpointNotFound }))
      return { items: deliveries.map(({ attempts, delivery }) => deliveryView(delivery, attempts)) }
    }),

    getDelivery: Effect.fnUntraced(function* (call: DeliveryCall) {
      const { attempts, delivery } = yield* webhooks
        .readDelivery(yield* deliveryOf(call))
        .pipe(Effect.catchTags({ EndpointNotFound, DeliveryNotFound }))
      return deliveryView(delivery, attempts)
    }),

    replayDelivery: Effect.fnUntraced(function* (call: DeliveryCall) {
      const { attempts, delivery } = yield* webhooks
        .replayDelivery(yield* deliveryOf(call))
        .pipe(Effect.catchTags({ EndpointNotFound, DeliveryNotFound, EndpointInactive }))
      return deliveryView(delivery, attempts)
    }),

    startReplay: Effect.fnUntraced(function* (call: StartReplayCall) {
      const { caller, endpointId } = yield* endpointOf(call)
      const { since, status, until } = call.payload
      const now = yield* DateTime.now
      if (DateTime.isGreaterThan(since, now)) return yield* invalid("/since", "must not lie ahead")
      const started = yield* webhooks
        .startReplay({
          caller,
          endpointId,
          since,
          // Events of the future cannot be sent again.
          until: until == null || DateTime.isGreaterThan(until, now) ? undefined : until,
          selection: status,
          idempotency: yield* idempotencyOf(`POST ${PATH}/${endpointId}/replay`, caller.organizationId, call)
        })
        .pipe(
          Effect.catchTags({
            ...idempotencyProblems,
            EndpointNotFound,
            EndpointInactive,
            ReplayNotFound,
            TooManyReplays
          })
        )
      return HttpApiSchema.withHeaders({
        body: replayView(started.value),
        headers: {
          location: `${PATH}/replays/${started.value.id}`,
          ...(started.replayed ? { "idempotency-replayed": "true" as const } : {})
        }
      })
    }),

    readReplay: Effect.fnUntraced(function* ({ params }: { readonly params: { readonly replay_id: string } }) {
      const caller = yield* CurrentCaller
      const replayId = parseId(ReplayId, params.replay_id)
      if (replayId === undefined) return yield* notFound()
      return replayView(yield* webhooks.readReplay({ caller, replayId }).pipe(Effect.catchTags({ ReplayNotFound })))
    })
  }
})
