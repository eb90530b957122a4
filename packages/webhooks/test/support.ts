import {
  defineEvent,
  type EventRecord,
  type OrganizationCaller,
  type OrganizationId,
  publish,
  UnitOfWork,
  type WorkspaceId
} from "@agent-platform/kernel"
import { layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import { DeliveryRecords, type Endpoint, EndpointStore, EventDispatch, Webhooks } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { anEndpoint } from "@agent-platform/webhooks/testing"
import { Effect, Layer, Schema } from "effect"
import type { RegisterEndpoint } from "../src/use-cases/registerEndpoint.ts"

/** The ports of the domain in memory, its delivery worker's included. */
export const ports = Layer.provideMerge(stores, kernel)

/** The whole domain over memory. */
export const memory = Webhooks.layer.pipe(Layer.provideMerge(ports), Layer.fresh)

export const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

export const aRegistration = (override: Partial<RegisterEndpoint> = {}): RegisterEndpoint => ({
  caller: aCaller(),
  url: "https://receiver.example.com/hooks",
  eventTypes: [],
  description: null,
  idempotency: undefined,
  ...override
})

/** Registers an endpoint, for all events of a new organization by default. */
export const register = (override: Partial<RegisterEndpoint> = {}) => {
  const registration = aRegistration(override)
  return Effect.gen(function* () {
    const { value } = yield* Webhooks.use((webhooks) => webhooks.registerEndpoint(registration))
    if (value.secret === null) return yield* Effect.die(new Error("A new endpoint has a secret"))
    return { caller: registration.caller, endpoint: value.endpoint, secret: value.secret }
  })
}

/** Stores an endpoint as it is, past the use case that would make it. */
export const storedEndpoint = (override: Partial<Endpoint> = {}) =>
  Effect.gen(function* () {
    const endpoint = anEndpoint(override)
    yield* EndpointStore.use((store) => atomic(store.insert(endpoint)))
    return endpoint
  })

/** A caller of the organization of an endpoint. */
export const callerOf = (endpoint: Endpoint): OrganizationCaller => aCaller({ organizationId: endpoint.organizationId })

const eventData = Schema.Struct({ note: Schema.String })

/** A kind of event that has a note for its data. */
export const kindOf = (type: string) =>
  defineEvent({ type, when: "Never", data: eventData, sample: () => ({ note: "A sample" }) })

/** Publishes an event of the organization, or of a workspace in it, `run.succeeded` by default, and answers its id. */
export const publishEvent = (
  organizationId: OrganizationId,
  type = "run.succeeded",
  note = "é 💡",
  workspaceId: WorkspaceId | null = null
) => atomic(publish(kindOf(type), { organizationId, workspaceId }, { note }))

/** The data of the events of a kind that were published. */
export const publishedOf = (type: string) =>
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const events = yield* database.table<EventRecord>("event").all
    return events.filter((event) => event.type === type).map(({ data }) => JSON.parse(data))
  })

/** The events that wait in the outbox, with what their deliveries are made of. */
export const takeEvents = EventDispatch.use((queue) => queue.take(100))

/** The endpoint's deliveries with their attempts, newest first. */
export const deliveriesTo = (endpoint: Endpoint) =>
  DeliveryRecords.use((store) =>
    Effect.map(store.list(endpoint.id, {}, { limit: 50, before: undefined }), ({ items }) => items)
  )
