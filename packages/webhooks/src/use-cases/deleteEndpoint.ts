import { type OrganizationCaller, UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { recordEndpointAct } from "../activity.ts"
import { Endpoint, type EndpointId, EndpointNotFound } from "../Endpoint.ts"
import { DeliveryLifecycle } from "../ports/DeliveryLifecycle.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"

/**
 * Deletes an endpoint and returns it; the second time it returns the same. Its deliveries are kept, the pending ones as
 * dead, and its secrets are forgotten. Spec: Delivery and replay 5.
 */
export const deleteEndpoint = useCase("webhooks.deleteEndpoint")(function* (command: {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
}) {
  const endpoints = yield* EndpointStore
  const deliveries = yield* DeliveryLifecycle
  const unit = yield* UnitOfWork
  return yield* unit.atomic(
    Effect.gen(function* () {
      const found = yield* endpoints.findToChange(command.caller.organizationId, command.endpointId)
      if (found === undefined) return yield* new EndpointNotFound()
      if (found.status === "deleted") return found
      const endpoint = Endpoint.deleted(found)
      yield* endpoints.replace(endpoint)
      const dead = yield* deliveries.markDead(endpoint.id, "endpoint_deleted")
      yield* recordEndpointAct(command.caller.actor, endpoint, "deleted", { dead })
      return endpoint
    })
  )
})
