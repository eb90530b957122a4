import { type Erased, type EventRecord, portionOf, rowsMaxOf } from "@agent-platform/kernel"
import { countWhere, eraseWhere, layerMemory, type OutboxRow } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import type { Endpoint } from "../Endpoint.ts"
import { DeliveryEraser } from "../ports/DeliveryEraser.ts"
import type { Replay } from "../Replay.ts"
import type { DeliveryRow } from "./deliveryRows.ts"
import { ENDPOINT_TABLE } from "./MemoryEndpointStore.ts"

/** Whether an event is among what is erased. No event is a person's. */
const isErasedEvent =
  (what: Erased) =>
  ({ organizationId, runId, workspaceId }: EventRecord): boolean => {
    switch (what._tag) {
      case "Resources":
        return workspaceId === what.workspaceId && runId !== undefined && what.ids.includes(runId)
      case "Tenant":
        return organizationId === what.organizationId && (what.workspaceId === null || what.workspaceId === workspaceId)
      case "Person":
        return false
    }
  }

/** Whether a row goes because its whole organization does. */
const isOfErasedOrganization = (what: Erased, { organizationId }: { readonly organizationId: string }): boolean =>
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
      // An organization's events about one of its workspaces are counted with that workspace.
      const isOwn = ({ workspaceId }: EventRecord) =>
        what._tag !== "Tenant" || what.workspaceId !== null || workspaceId === null
      const meant = (yield* events.all).filter((event) => isErasedEvent(what)(event) && isOwn(event))
      const ids = new Set(meant.map(({ id }) => id))
      return {
        events: Math.min(meant.length, max),
        deliveries: yield* countWhere(deliveries, ({ delivery }) => ids.has(delivery.eventId), max),
        replays: yield* countWhere(replays, (replay) => isOfErasedOrganization(what, replay), max),
        endpoints: yield* countWhere(endpoints, (endpoint) => isOfErasedOrganization(what, endpoint), max)
      }
    }),
    erase: Effect.fnUntraced(function* (what, max) {
      const now = yield* DateTime.now
      const matching = (yield* events.all).filter(isErasedEvent(what))
      const found = matching.slice(0, rowsMaxOf(what, max))
      const taken = new Set(
        (yield* outbox.all)
          .filter(({ takenUntil }) => takenUntil !== undefined && DateTime.isGreaterThan(takenUntil, now))
          .map(({ id }) => id)
      )
      // An event that a worker has taken is left for another time, with its deliveries.
      const free = new Set(found.map(({ id }) => id).filter((id) => !taken.has(id)))
      for (const id of free) {
        yield* outbox.remove(id)
        yield* events.remove(id)
      }
      // The other rows of an organization go once no event of it is left.
      const deliveryCount = yield* eraseWhere(
        deliveries,
        deliveryKey,
        ({ delivery }) => free.has(delivery.eventId) || (found.length === 0 && isOfErasedOrganization(what, delivery)),
        Number.POSITIVE_INFINITY
      )
      const counts = { events: free.size, deliveries: deliveryCount }
      if (what._tag === "Resources") return { counts, isOver: free.size === found.length }
      if (found.length > 0) return { counts, isOver: false }
      return portionOf(what, {
        ...counts,
        replays: yield* eraseWhere(
          replays,
          ({ id }) => id,
          (replay) => isOfErasedOrganization(what, replay),
          max
        ),
        endpoints: yield* eraseWhere(
          endpoints,
          ({ id }) => id,
          (endpoint) => isOfErasedOrganization(what, endpoint),
          max
        )
      })
    })
  }
})
