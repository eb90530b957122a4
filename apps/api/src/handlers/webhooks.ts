import { Api, Conflict, CurrentCaller, UnprocessableContent } from "@agent-platform/contract"
import { EventId, parseId } from "@agent-platform/kernel"
import { EndpointId, Webhooks } from "@agent-platform/webhooks"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, notFound } from "../edge/problems.ts"
import { creation, idempotencyOf } from "../idempotency.ts"
import { deliveryView, endpointView } from "../views/webhookViews.ts"

const PATH = "/api/v1/org/webhooks"

const urlNotPublic = (detail: string) =>
  new UnprocessableContent({
    code: "url_not_public",
    detail,
    errors: [{ pointer: "/url", code: "invalid_value", detail }]
  })

const limitReached = (limit: number) =>
  new Conflict({
    code: "endpoint_limit_reached",
    detail: `The organization holds ${limit} active endpoints, which is all it may have`
  })

const inactive = () =>
  new Conflict({ code: "endpoint_inactive", detail: "The endpoint was deleted. Nothing is sent to it any more" })

/** Organization webhooks. */
export const layerWebhooks = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    const cursors = yield* makeCursors
    return handlers.handleAll({
      registerEndpoint: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* CurrentCaller
        const registered = yield* webhooks
          .registerEndpoint({
            caller,
            url: payload.url,
            eventTypes: payload.eventTypes,
            description: payload.description ?? null,
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.organizationId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              UrlNotPublic: ({ detail }) => Effect.fail(urlNotPublic(detail)),
              EndpointLimitReached: ({ limit }) => Effect.fail(limitReached(limit)),
              EndpointNotFound: () => Effect.fail(notFound())
            })
          )
        const { endpoint, secret } = registered.value
        return creation(
          { ...endpointView(endpoint), secret: secret === null ? null : Redacted.value(secret) },
          registered.replayed
        )
      }),

      listEndpoints: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* CurrentCaller
        const scope = { route: `GET ${PATH}`, owner: caller.organizationId, filters: {} }
        const before = yield* cursors.read(scope, query.cursor)
        const page = yield* webhooks.listEndpoints({ caller, page: { limit: query.limit, before } })
        return { items: page.items.map(endpointView), nextCursor: cursors.write(scope, page.next) }
      }),

      listDeliveries: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* CurrentCaller
        const endpointId = parseId(EndpointId, params.endpoint_id)
        if (endpointId === undefined) return yield* notFound()
        const deliveries = yield* webhooks
          .listDeliveries({ caller, endpointId })
          .pipe(Effect.catchTag("EndpointNotFound", () => Effect.fail(notFound())))
        return { items: deliveries.map(({ attempts, delivery }) => deliveryView(delivery, attempts)) }
      }),

      replayDelivery: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* CurrentCaller
        const endpointId = parseId(EndpointId, params.endpoint_id)
        const eventId = parseId(EventId, params.delivery_id)
        if (endpointId === undefined || eventId === undefined) return yield* notFound()
        const { attempts, delivery } = yield* webhooks.replayDelivery({ caller, endpointId, eventId }).pipe(
          Effect.catchTags({
            EndpointNotFound: () => Effect.fail(notFound()),
            DeliveryNotFound: () => Effect.fail(notFound()),
            EndpointInactive: () => Effect.fail(inactive())
          })
        )
        return deliveryView(delivery, attempts)
      })
    })
  })
)
