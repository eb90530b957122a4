/** Deliveries and replays. Spec: Organization webhooks. */
import { CurrentCaller, type webhooks as contract } from "@agent-platform/contract"
import { EventId } from "@agent-platform/kernel"
import { ReplayId, Webhooks } from "@agent-platform/webhooks"
import { DateTime, Effect } from "effect"
import { idempotencyProblems, invalid } from "../edge/problems.ts"
import { acceptance, type Creating, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"
import { deliveryView, replayView } from "../views/webhookViews.ts"
import { type EndpointCall, endpointOf } from "./webhookEndpoints.ts"
import { webhookProblems } from "./webhookProblems.ts"

const PATH = "/api/v1/org/webhooks"

interface DeliveryCall {
  readonly params: { readonly endpoint_id: string; readonly delivery_id: string }
}

interface StartReplayCall extends EndpointCall, Creating {
  readonly payload: typeof contract.NewReplay.Type
}

const deliveryOf = Effect.fnUntraced(function* (call: DeliveryCall) {
  const endpoint = yield* endpointOf(call)
  return { ...endpoint, eventId: yield* idOf(EventId, call.params.delivery_id) }
})

/** The handlers for deliveries and for replays of ranges. */
export const makeDeliveryHandlers = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const idempotencyOf = yield* makeIdempotencyOf
  const { DeliveryNotFound, EndpointInactive, EndpointNotFound, ReplayNotFound, TooManyReplays } = webhookProblems

  return {
    listDeliveries: Effect.fnUntraced(function* (call: EndpointCall) {
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
      return acceptance(replayView(started.value), `${PATH}/replays/${started.value.id}`, started.replayed)
    }),

    readReplay: Effect.fnUntraced(function* ({ params }: { readonly params: { readonly replay_id: string } }) {
      const caller = yield* CurrentCaller
      const replayId = yield* idOf(ReplayId, params.replay_id)
      return replayView(yield* webhooks.readReplay({ caller, replayId }).pipe(Effect.catchTags({ ReplayNotFound })))
    })
  }
})
