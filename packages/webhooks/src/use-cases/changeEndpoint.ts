import { type OrganizationCaller, UnitOfWork, type WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { recordEndpointAct } from "../activity.ts"
import {
  ActiveEndpointsMax,
  DISABLED_BY_REQUEST,
  Endpoint,
  type EndpointId,
  EndpointInactive,
  EndpointLimitReached,
  EndpointNotFound
} from "../Endpoint.ts"
import { publishDisabled } from "../events.ts"
import { DeliveryLifecycle } from "../ports/DeliveryLifecycle.ts"
import { EndpointHealthStore } from "../ports/EndpointHealthStore.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"

/** The new values; undefined leaves a field as it is. */
export interface EndpointChange {
  readonly url?: string | undefined
  readonly eventTypes?: ReadonlyArray<string> | undefined
  /** Workspaces that the caller has found to be the organization's. */
  readonly workspaceIds?: ReadonlyArray<WorkspaceId> | undefined
  readonly description?: string | null | undefined
  readonly status?: "active" | "disabled" | undefined
}

export interface UpdateEndpoint {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
  readonly change: EndpointChange
}

const withStatus = (endpoint: Endpoint, status: EndpointChange["status"]): Endpoint => {
  if (status === undefined || status === endpoint.status) return endpoint
  return status === "active" ? Endpoint.enabled(endpoint) : Endpoint.disabled(endpoint, DISABLED_BY_REQUEST)
}

const withDetails = (endpoint: Endpoint, change: EndpointChange): Endpoint => ({
  ...endpoint,
  url: change.url ?? endpoint.url,
  eventTypes: change.eventTypes === undefined ? endpoint.eventTypes : [...new Set(change.eventTypes)],
  workspaceIds: change.workspaceIds === undefined ? endpoint.workspaceIds : [...new Set(change.workspaceIds)],
  description: change.description === undefined ? endpoint.description : change.description
})

/** The fields whose change is recorded, by their names in the contract. */
const DETAILS = {
  url: "url",
  eventTypes: "event_types",
  workspaceIds: "workspace_ids",
  description: "description"
} as const

const changedDetails = (before: Endpoint, after: Endpoint): ReadonlyArray<string> =>
  (Object.keys(DETAILS) as Array<keyof typeof DETAILS>)
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => DETAILS[name])

/** Has failures count anew: those so far were at another URL, or before the endpoint was disabled. */
const forgetFailures = Effect.fnUntraced(function* ({ id, organizationId }: Endpoint) {
  const store = yield* EndpointHealthStore
  const health = yield* store.healthToChange([{ organizationId, endpointId: id }])
  const failing = health.filter(({ failingSince }) => failingSince !== null)
  if (failing.length > 0) yield* store.saveHealth(failing.map((one) => ({ ...one, failingSince: null })))
})

/**
 * Changes an endpoint; a new URL must have been admitted before. Fails with EndpointNotFound, with
 * EndpointInactive for a deleted endpoint, and with EndpointLimitReached where enabling it would make an eleventh active
 * one, however many are enabled at once.
 */
export const changeEndpoint = useCase("webhooks.changeEndpoint")(function* (command: UpdateEndpoint) {
  const { caller, change, endpointId } = command
  const { organizationId } = caller
  const endpoints = yield* EndpointStore
  const deliveries = yield* DeliveryLifecycle
  const unit = yield* UnitOfWork
  return yield* unit.atomic(
    Effect.gen(function* () {
      // The organization is held before the endpoint is locked: everybody locks the two in this order.
      if (change.status === "active") yield* endpoints.hold(organizationId)
      const before = yield* endpoints.findToChange(organizationId, endpointId)
      if (before === undefined) return yield* new EndpointNotFound()
      if (before.status === "deleted") return yield* new EndpointInactive({ status: before.status })
      if (change.status === "active" && before.status !== "active") {
        const active = yield* endpoints.countActive(organizationId)
        const activeMax = yield* ActiveEndpointsMax
        if (active >= activeMax) return yield* new EndpointLimitReached({ limit: activeMax })
      }
      const after = withStatus(withDetails(before, change), change.status)
      yield* endpoints.replace(after)
      if (after.url !== before.url || (after.status === "active" && before.status !== "active")) {
        yield* forgetFailures(after)
      }
      const details = changedDetails(before, after)
      if (details.length > 0) yield* recordEndpointAct(caller.actor, after, "updated", { changed: details })
      if (after.status === before.status) return after
      if (after.status === "active") {
        yield* recordEndpointAct(caller.actor, after, "enabled")
      } else {
        const dead = yield* deliveries.markDead(endpointId, "endpoint_disabled")
        yield* recordEndpointAct(caller.actor, after, "disabled", { reason: after.disabledReason, dead })
        yield* publishDisabled(after)
      }
      return after
    })
  )
})
