import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import type { Endpoint, EndpointId } from "../Endpoint.ts"
import type { EndpointHealth } from "../EndpointHealth.ts"
import { EndpointHealthStore } from "../ports/EndpointHealthStore.ts"
import type { Recipient } from "../SendableDelivery.ts"
import { ENDPOINT_TABLE } from "./MemoryEndpointStore.ts"

type HealthRow = Pick<EndpointHealth, "failingSince" | "deadNoticeAt">

const HEALTHY: HealthRow = { failingSince: null, deadNoticeAt: null }

/** The tables of endpoints and of their health, and readers that join the two. */
export const endpointTables = Effect.map(MemoryDatabase, (database) => {
  const endpoints = database.table<Endpoint>(ENDPOINT_TABLE)
  const health = database.table<HealthRow>("webhook_endpoint_health")
  const healthOf = (id: EndpointId) => Effect.map(health.get(id), (row) => row ?? HEALTHY)
  const withHealth = (endpoint: Endpoint) =>
    Effect.map(healthOf(endpoint.id), ({ failingSince }): Recipient => ({ endpoint, failingSince }))
  const recipient = Effect.fnUntraced(function* (id: EndpointId) {
    const endpoint = yield* endpoints.get(id)
    return endpoint === undefined ? undefined : yield* withHealth(endpoint)
  })
  return { endpoints, health, healthOf, withHealth, recipient }
})

/** Endpoints' health over a `MemoryDatabase`, whose transactions run one after another: none needs to lock an endpoint. */
export const layerEndpointHealthStore: Layer.Layer<EndpointHealthStore, never, MemoryDatabase> = Layer.effect(
  EndpointHealthStore,
  Effect.gen(function* () {
    const { endpoints, health, healthOf } = yield* endpointTables
    return EndpointHealthStore.of({
      healthToChange: Effect.fnUntraced(function* (keys) {
        const found: Array<EndpointHealth> = []
        for (const { endpointId, organizationId } of keys) {
          const endpoint = yield* endpoints.get(endpointId)
          if (endpoint?.organizationId !== organizationId) continue
          found.push({ organizationId, endpointId, status: endpoint.status, ...(yield* healthOf(endpointId)) })
        }
        return found
      }),
      saveHealth: Effect.fnUntraced(function* (changed) {
        for (const { deadNoticeAt, endpointId, failingSince } of changed) {
          yield* health.put(endpointId, { failingSince, deadNoticeAt })
        }
      })
    })
  })
)
