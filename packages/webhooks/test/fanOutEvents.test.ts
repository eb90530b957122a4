/** Spec: Events 1 and 4; Delivery and replay 2. */
import { type dispatchEvent, EventId, type Job, JobQueue, JobSource, Signals } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { DeliveryStore, type Endpoint } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deliveriesDue } from "../src/jobs.ts"
import { fanOutEvents } from "../src/use-cases/fanOutEvents.ts"
import { atomic, deliveriesTo, memory, publishEvent, register, storedEndpoint, takeDispatches } from "./support.ts"

const typesSentTo = (endpoint: Endpoint) =>
  Effect.map(deliveriesTo(endpoint), (all) => all.map(({ delivery }) => delivery.eventType).sort())

const publishAll = (organizationId: Endpoint["organizationId"], ...types: ReadonlyArray<string>) =>
  Effect.forEach(types, (type) => publishEvent(organizationId, type))

type DispatchJob = Job<(typeof dispatchEvent)["payload"]["Type"]>

/** The ids of those jobs that are not done yet; completing them is how the queue is asked. */
const stillHeld = (jobs: ReadonlyArray<DispatchJob>) => JobSource.use((source) => atomic(source.complete(jobs)))

describe("handing events out", () => {
  it.effect("makes one pending delivery for each endpoint of the organization, all with the event's id", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const endpoints = [yield* register({ caller }), yield* register({ caller })]
      const foreign = yield* register()
      const eventId = yield* publishEvent(caller.organizationId)
      assert.strictEqual(yield* fanOutEvents(yield* takeDispatches), 2)
      for (const { endpoint } of endpoints) {
        const [sent, ...more] = yield* deliveriesTo(endpoint)
        assert.isEmpty(more)
        assert.deepInclude(sent?.delivery, { eventId, state: "pending", attemptCount: 0, eventType: "run.succeeded" })
      }
      assert.isEmpty(yield* deliveriesTo(foreign.endpoint))
    }).pipe(Effect.provide(memory))
  )

  it.effect("sends an endpoint the kinds that it named, or all when it named none", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const all = yield* register({ caller, eventTypes: [] })
      const some = yield* register({ caller, eventTypes: ["run.failed", "run.cancelled"] })
      yield* publishAll(caller.organizationId, "run.succeeded", "run.failed", "workspace.cap_reached")
      yield* fanOutEvents(yield* takeDispatches)
      assert.deepStrictEqual(yield* typesSentTo(all.endpoint), ["run.failed", "run.succeeded", "workspace.cap_reached"])
      assert.deepStrictEqual(yield* typesSentTo(some.endpoint), ["run.failed"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("sends no pause to an endpoint that subscribed to successes alone", () =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register({ eventTypes: ["run.succeeded"] })
      yield* publishAll(caller.organizationId, "run.paused", "run.succeeded")
      yield* fanOutEvents(yield* takeDispatches)
      assert.deepStrictEqual(yield* typesSentTo(endpoint), ["run.succeeded"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("hands out the events of several organizations together, each to its own", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* register(), yield* register()]
      yield* publishAll(one.caller.organizationId, "run.failed", "run.cancelled")
      yield* publishAll(two.caller.organizationId, "run.paused")
      assert.strictEqual(yield* fanOutEvents(yield* takeDispatches), 3)
      assert.deepStrictEqual(yield* typesSentTo(one.endpoint), ["run.cancelled", "run.failed"])
      assert.deepStrictEqual(yield* typesSentTo(two.endpoint), ["run.paused"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("records an event dead for a disabled endpoint and not at all for a deleted one", () =>
    Effect.gen(function* () {
      const disabled = yield* storedEndpoint({ status: "disabled" })
      const deleted = yield* storedEndpoint({ status: "deleted", organizationId: disabled.organizationId })
      yield* publishEvent(disabled.organizationId)
      yield* fanOutEvents(yield* takeDispatches)
      const [recorded] = yield* deliveriesTo(disabled)
      assert.deepInclude(recorded?.delivery, { state: "dead", stateReason: "endpoint_disabled", nextAttemptAt: null })
      assert.isEmpty(yield* deliveriesTo(deleted))
    }).pipe(Effect.provide(memory))
  )

  it.effect("ends the job of an event for which nobody waits, or which is unknown", () =>
    Effect.gen(function* () {
      yield* publishEvent(aCaller().organizationId)
      const [job] = yield* takeDispatches
      assert.isDefined(job)
      yield* JobQueue.use((queue) => atomic(queue.enqueue(job.kind, { event_id: anId(EventId) })))
      const jobs: ReadonlyArray<DispatchJob> = [job, ...(yield* takeDispatches)]
      assert.strictEqual(jobs.length, 2)
      assert.strictEqual(yield* fanOutEvents(jobs), 0)
      assert.isEmpty(yield* stillHeld(jobs))
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves a delivery as it is when an event is handed out twice", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const { caller, endpoint } = yield* register()
      const eventId = yield* publishEvent(caller.organizationId)
      const jobs = yield* takeDispatches
      yield* fanOutEvents(jobs)
      yield* atomic(
        store.update(endpoint.id, eventId, (delivery) => ({ ...delivery, state: "dead", nextAttemptAt: null }))
      )
      yield* fanOutEvents(jobs)
      assert.strictEqual((yield* store.find(endpoint.id, eventId))?.state, "dead")
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps the jobs when the deliveries cannot be written", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const { caller, endpoint } = yield* register()
      yield* publishEvent(caller.organizationId)
      const jobs = yield* takeDispatches
      const away = { ...store, insert: () => Effect.die(new Error("The database is away")) }
      const exit = yield* Effect.exit(Effect.provideService(fanOutEvents(jobs), DeliveryStore, away))
      assert.strictEqual(exit._tag, "Failure")
      assert.isEmpty(yield* deliveriesTo(endpoint))
      assert.strictEqual((yield* stillHeld(jobs)).size, 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("wakes whoever sends deliveries when there is something to send", () =>
    Effect.gen(function* () {
      const signals = yield* Signals
      const { caller } = yield* register()
      const next = yield* signals.listen(deliveriesDue)
      yield* publishEvent(caller.organizationId)
      yield* fanOutEvents(yield* takeDispatches)
      yield* next(60)
    }).pipe(Effect.provide(memory))
  )

  it.effect("wakes nobody when there is nothing to send", () =>
    Effect.gen(function* () {
      const signals = yield* Signals
      const { caller } = yield* register({ eventTypes: ["run.failed"] })
      const next = yield* signals.listen(deliveriesDue)
      yield* publishEvent(caller.organizationId, "run.succeeded")
      yield* fanOutEvents(yield* takeDispatches)
      const waiting = yield* Effect.forkScoped(next(60))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(waiting.pollUnsafe())
    }).pipe(Effect.provide(memory))
  )
})
