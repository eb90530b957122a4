import type { EventLog } from "@agent-platform/kernel"
import type { MemoryTable } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import type { Endpoint, EndpointId } from "../Endpoint.ts"
import type { EndpointHealth } from "../EndpointHealth.ts"
import type { DeliveryStore, Recipient } from "../ports/DeliveryStore.ts"

/** What is kept of an endpoint's health beside the endpoint itself. */
export type HealthRow = Pick<EndpointHealth, "failingSince" | "deadNoticeAt">

/** The name of the table of these rows, by the endpoint's id. */
export const HEALTH_TABLE = "webhook_endpoint_health"

const HEALTHY: HealthRow = { failingSince: null, deadNoticeAt: null }

/** How endpoints stand. Transactions run one after another, so that whoever is in one holds every endpoint. */
export const healthOver = (
  endpoints: MemoryTable<Endpoint>,
  health: MemoryTable<HealthRow>,
  log: EventLog["Service"]
): Pick<DeliveryStore["Service"], "recipients" | "healthToChange" | "saveHealth"> & {
  readonly recipient: (endpointId: EndpointId) => Effect.Effect<Recipient | undefined>
} => {
  const healthOf = (id: EndpointId) => Effect.map(health.get(id), (row) => row ?? HEALTHY)
  const withHealth = (endpoint: Endpoint) =>
    Effect.map(healthOf(endpoint.id), ({ failingSince }): Recipient => ({ endpoint, failingSince }))
  return {
    recipient: (id) =>
      Effect.flatMap(endpoints.get(id), (endpoint) =>
        endpoint === undefined ? Effect.succeed(undefined) : withHealth(endpoint)
      ),
    recipients: Effect.fnUntraced(function* (eventIds) {
      const organizationIds = (yield* log.find(eventIds)).map((event) => event.organizationId)
      const rows = yield* endpoints.all
      const kept = rows.filter((row) => organizationIds.includes(row.organizationId) && row.status !== "deleted")
      return yield* Effect.forEach(kept, withHealth)
    }),
    healthToChange: (keys) =>
      Effect.map(
        Effect.forEach(
          keys,
          Effect.fnUntraced(function* ({ endpointId, organizationId }) {
            const endpoint = yield* endpoints.get(endpointId)
            if (endpoint?.organizationId !== organizationId) return []
            const { deadNoticeAt, failingSince } = yield* healthOf(endpointId)
            return [{ organizationId, endpointId, status: endpoint.status, failingSince, deadNoticeAt }]
          })
        ),
        (found) => found.flat()
      ),
    saveHealth: (changed) =>
      Effect.forEach(
        changed,
        ({ deadNoticeAt, endpointId, failingSince }) => health.put(endpointId, { failingSince, deadNoticeAt }),
        { discard: true }
      )
  }
}
