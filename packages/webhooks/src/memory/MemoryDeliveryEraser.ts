import { type Erased, type EventRecord, portionOf } from "@agent-platform/kernel"
import { countWhere, eraseWhere, layerMemory, type OutboxRow } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import type { Endpoint } from "../Endpoint.ts"
import { DeliveryEraser } from "../ports/DeliveryEraser.ts"
import type { Replay } from "../Replay.ts"
import type { DeliveryRow } from "./deliveryRows.ts"
import { ENDPOINT_TABLE } from "./MemoryEndpointStore.ts"

const isEvent =
  (what: Erased) =>
  ({ organizationId, runId, workspaceId }: EventRecord): boolean => {
    switch (what._tag) {
      case "Resources":
        return workspaceId === what.workspaceId && runId !== undefined && what.ids.includes(runId)
      case "Tenant":
        return organizationId === what.organizationId && (what.workspaceId ?? workspaceId) === workspaceId
      case "Person":
        return false
    }
  }

const isOwn = (what: Erased, { organizationId }: { readonly organizationId: string }): boolean =>
  what._tag === "Tenant" && what.workspaceId === null && what.organizationId === organizationId

const deliveryKey = ({ delivery }: DeliveryRow): string => `${delivery.endpointId}/${delivery.eventId}`

/** The eraser of events, deliveries and endpoints over a `MemoryDatabase`. */
export const layerDeliveryEraser = layerMemory(DeliveryEraser)((database) => {
  const events = database.table<EventRecord>("event")
  const outbox = database.table<OutboxRow>("outbox")
  const deliveries = database.table<DeliveryRow>("webhook_delivery")
  const endpoints = database.table<Endpoint>(ENDPOINT_TABLE)
  const replays = database.table<Replay>("webhook_replay")
  return {
    count: Effect.fnUntraced(function* (what, max) {
      return {
        events: yield* countWhere(events, isEvent(what), max),
        endpoints: yield* countWhere(endpoints, (endpoint) => isOwn(what, endpoint), max)
      }
    }),
    erase: Effect.fnUntraced(function* (what, max) {
      const now = yield* DateTime.now
      const all = (yield* events.all).filter(isEvent(what))
      const found = what._tag === "Resources" ? all : all.slice(0, max)
      const taken = new Set(
        (yield* outbox.all)
          .filter(({ takenUntil }) => takenUntil !== undefined && DateTime.isGreaterThan(takenUntil, now))
          .map(({ id }) => id)
      )
      const free = new Set(found.map(({ id }) => id).filter((id) => !taken.has(id)))
      for (const id of free) {
        yield* outbox.remove(id)
        yield* events.remove(id)
      }
      const gone = yield* eraseWhere(
        deliveries,
        deliveryKey,
        ({ delivery }) => free.has(delivery.eventId) || (found.length === 0 && isOwn(what, delivery)),
        Number.POSITIVE_INFINITY
      )
      const counts = { events: free.size, deliveries: gone }
      if (what._tag === "Resources") return { counts, isOver: free.size === found.length }
      if (found.length > 0) return { counts, isOver: false }
      return portionOf(what, {
        ...counts,
        replays: yield* eraseWhere(
          replays,
          ({ id }) => id,
          (replay) => isOwn(what, replay),
          max
        ),
        endpoints: yield* eraseWhere(
          endpoints,
          ({ id }) => id,
          (endpoint) => isOwn(what, endpoint),
          max
        )
      })
    })
  }
})
