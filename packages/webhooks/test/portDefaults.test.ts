/** An embedder implements no more than it uses. */

import { aResponse } from "@agent-platform/kernel/memory"
import { DeliveryQueue, EventFeed, EventUnknown, Webhooks } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { memory, ports, publishEvent, register } from "./support.ts"
import { deliveryOnce, isDelivered, quiet, receiver, startWorker } from "./workerSupport.ts"

describe("a queue that can only claim and renew", () => {
  it.effect("is enough for a worker to send again what failed", () =>
    Effect.gen(function* () {
      const { claimDue, renew } = yield* DeliveryQueue
      let answers = 0
      yield* receiver(() => Effect.sync(() => aResponse(answers++ === 0 ? 500 : 200)))
      yield* Effect.provideService(startWorker(), DeliveryQueue, DeliveryQueue.make({ claimDue, renew }))
      const { caller, endpoint } = yield* register()
      const eventId = yield* publishEvent(caller.organizationId)
      const { delivery } = yield* deliveryOnce(endpoint, eventId, isDelivered)
      assert.strictEqual(delivery.attemptCount, 2)
    }).pipe(Effect.provide(quiet))
  )
})

describe("a feed in which nothing is", () => {
  const withoutFollowers = Webhooks.layer.pipe(
    Layer.provide(EventFeed.layerEmpty),
    Layer.provideMerge(ports),
    Layer.fresh
  )

  it.effect("lets events be published and endpoints be registered, and gives a follower nothing", () =>
    Effect.gen(function* () {
      const { caller } = yield* register()
      const webhooks = yield* Webhooks
      const following = yield* webhooks.followEvents({ caller, from: undefined })
      const seen: Array<string> = []
      const reading = yield* Effect.forkChild(
        Stream.runForEach(following.events, ({ id }) => Effect.sync(() => void seen.push(id)))
      )
      const eventId = yield* publishEvent(caller.organizationId)
      yield* TestClock.adjust("2 seconds")
      assert.isEmpty(seen)
      assert.isUndefined(reading.pollUnsafe())
      yield* Fiber.interrupt(reading)
      const from = { kind: "event", id: eventId } as const
      assert.instanceOf(yield* Effect.flip(webhooks.followEvents({ caller, from })), EventUnknown)
    }).pipe(Effect.provide(withoutFollowers))
  )

  it.effect("is another than the one in memory, which has the event", () =>
    Effect.gen(function* () {
      const { caller } = yield* register()
      const webhooks = yield* Webhooks
      const { beginning } = yield* webhooks.followEvents({ caller, from: undefined })
      const eventId = yield* publishEvent(caller.organizationId)
      const from = { kind: "beginning", position: beginning } as const
      const { events } = yield* webhooks.followEvents({ caller, from })
      const [first] = yield* Stream.runCollect(Stream.take(events, 1))
      assert.strictEqual(first?.id, eventId)
    }).pipe(Effect.provide(memory))
  )
})
