/** Organization webhooks: endpoints, deliveries and replays. Spec: Organization webhooks. */
import { Api, CurrentCaller, webhookEventOf } from "@agent-platform/contract"
import { EventId, type OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Tenancy } from "@agent-platform/keys"
import { EndpointId, ReplayId, Webhooks } from "@agent-platform/webhooks"
import { DateTime, Effect, identity, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { givenFilters } from "../givenFilters.ts"
import { acceptance, creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf, maybeIdOf } from "../ids.ts"
import { quotaProblems } from "../quotas.ts"
import { deliveryView, replayView } from "../views/webhookViews.ts"
import { webhookProblems } from "./webhookProblems.ts"
import { makeFollowEventsHandler } from "./webhookStream.ts"

const PATH = "/api/v1/org/webhooks"

const revealed = (secret: Redacted.Redacted | null) => (secret === null ? null : Redacted.value(secret))

interface EndpointCall {
  readonly params: { readonly endpoint_id: string }
}

interface DeliveryCall {
  readonly params: { readonly endpoint_id: string; readonly delivery_id: string }
}

/** The caller and the endpoint that the path names. */
const endpointOf = Effect.fnUntraced(function* ({ params }: EndpointCall) {
  const caller = yield* CurrentCaller
  return { caller, endpointId: yield* idOf(EndpointId, params.endpoint_id) }
})

const deliveryOf = Effect.fnUntraced(function* (call: DeliveryCall) {
  const endpoint = yield* endpointOf(call)
  return { ...endpoint, eventId: yield* idOf(EventId, call.params.delivery_id) }
})

const { DeliveryNotFound, EndpointInactive, EndpointLimitReached, EndpointNotFound } = webhookProblems
const { EndpointNotSubscribed, ReplayNotFound, TooManyReplays, UrlNotPublic } = webhookProblems

/** Handlers of organization webhooks. */
export const layerWebhooks = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    const tenancy = yield* Tenancy
    /** The ids of the workspaces that a body names. Fails unless all of them belong to the organization. */
    const workspacesOf = Effect.fnUntraced(function* (organizationId: OrganizationId, texts: ReadonlyArray<string>) {
      const ids = yield* Effect.forEach(texts, (text) => idOf(WorkspaceId, text))
      yield* tenancy.requireWorkspaces(organizationId, ids).pipe(Effect.catchTag("WorkspaceNotFound", notFound))
      return ids
    })
    const cursors = yield* makeCursors
    const idempotencyOf = yield* makeIdempotencyOf
    const followEvents = yield* makeFollowEventsHandler
    return handlers.handleAll({
      registerEndpoint: Effect.fnUntraced(function* (call) {
        const caller = yield* CurrentCaller
        const { description, eventTypes, url } = call.payload
        const workspaceIds = yield* workspacesOf(caller.organizationId, call.payload.workspaceIds)
        const registered = yield* webhooks
          .registerEndpoint({
            caller,
            url,
            eventTypes,
            workspaceIds,
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

      listEndpoints: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* CurrentCaller
        const scope = { route: `GET ${PATH}`, owner: caller.organizationId, filters: givenFilters(query) }
        const includeDeleted = query.include_deleted === "true"
        return yield* cursors.page(
          scope,
          query,
          (page) => webhooks.listEndpoints({ caller, page, includeDeleted }),
          identity
        )
      }),

      listAllReplays: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* CurrentCaller
        const scope = { route: `GET ${PATH}/replays`, owner: caller.organizationId, filters: {} }
        return yield* cursors
          .page(scope, query, (page) => webhooks.listReplays({ caller, endpointId: undefined, page }), replayView)
          .pipe(Effect.catchTags({ EndpointNotFound }))
      }),

      listReplays: Effect.fnUntraced(function* (call) {
        const { caller, endpointId } = yield* endpointOf(call)
        const filters = { endpoint_id: endpointId }
        const scope = { route: `GET ${PATH}/:endpoint_id/replays`, owner: caller.organizationId, filters }
        return yield* cursors
          .page(scope, call.query, (page) => webhooks.listReplays({ caller, endpointId, page }), replayView)
          .pipe(Effect.catchTags({ EndpointNotFound }))
      }),

      getEndpoint: Effect.fnUntraced(function* (call) {
        return yield* webhooks.readEndpoint(yield* endpointOf(call)).pipe(Effect.catchTags({ EndpointNotFound }))
      }),

      updateEndpoint: Effect.fnUntraced(function* (call) {
        const endpoint = yield* endpointOf(call)
        const { workspaceIds, ...change } = call.payload
        const named = workspaceIds && (yield* workspacesOf(endpoint.caller.organizationId, workspaceIds))
        return yield* webhooks
          .updateEndpoint({ ...endpoint, change: { ...change, workspaceIds: named } })
          .pipe(Effect.catchTags({ EndpointNotFound, EndpointInactive, EndpointLimitReached, UrlNotPublic }))
      }),

      enableEndpoint: Effect.fnUntraced(function* (call) {
        return yield* webhooks
          .enableEndpoint(yield* endpointOf(call))
          .pipe(Effect.catchTags({ EndpointNotFound, EndpointInactive, EndpointLimitReached }))
      }),

      deleteEndpoint: Effect.fnUntraced(function* (call) {
        return yield* webhooks.deleteEndpoint(yield* endpointOf(call)).pipe(Effect.catchTags({ EndpointNotFound }))
      }),

      rotateSecret: Effect.fnUntraced(function* (call) {
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

      testEndpoint: Effect.fnUntraced(function* (call) {
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
        return acceptance(deliveryView({ delivery: sent.value, attempts: [] }), location, sent.replayed)
      }),

      listDeliveries: Effect.fnUntraced(function* (call) {
        const { caller, endpointId } = yield* endpointOf(call)
        const { event_type: eventType, since, state, until } = call.query
        const filters = { ...givenFilters(call.query), endpoint_id: endpointId }
        const scope = { route: `GET ${PATH}/:endpoint_id/deliveries`, owner: caller.organizationId, filters }
        const filter = { eventType, since, state, until }
        return yield* cursors
          .page(
            scope,
            call.query,
            (page) => webhooks.listDeliveries({ caller, endpointId, filter, page }),
            deliveryView
          )
          .pipe(Effect.catchTags({ EndpointNotFound }))
      }),

      getDelivery: Effect.fnUntraced(function* (call) {
        const found = yield* webhooks
          .readDelivery(yield* deliveryOf(call))
          .pipe(Effect.catchTags({ EndpointNotFound, DeliveryNotFound }))
        return deliveryView(found)
      }),

      replayDelivery: Effect.fnUntraced(function* (call) {
        // Another endpoint may get the delivery, such as the successor of one that was deleted.
        const through = yield* maybeIdOf(EndpointId, call.payload.endpointId)
        const found = yield* webhooks
          .replayDelivery({ ...(yield* deliveryOf(call)), through })
          .pipe(Effect.catchTags({ EndpointNotFound, DeliveryNotFound, EndpointInactive, EndpointNotSubscribed }))
        return deliveryView(found)
      }),

      startReplay: Effect.fnUntraced(function* (call) {
        const { caller, endpointId } = yield* endpointOf(call)
        const { since, status, until } = call.payload
        const now = yield* DateTime.now
        if (DateTime.isGreaterThan(since, now)) return yield* invalid("/since", "must not lie ahead")
        const started = yield* webhooks
          .startReplay({
            caller,
            endpointId,
            since,
            // A time in the future means no end, since no later events exist yet.
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

      readReplay: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* CurrentCaller
        const replayId = yield* idOf(ReplayId, params.replay_id)
        return replayView(yield* webhooks.readReplay({ caller, replayId }).pipe(Effect.catchTags({ ReplayNotFound })))
      }),

      followEvents
    })
  })
)
