import { defineEvent, publish, UnitOfWork } from "@agent-platform/kernel"
import { aResponse, layer as kernel, MemoryEgress } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import { startDeliveryWorker, Webhooks } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { Deferred, Effect, Layer, Schema } from "effect"

const program = Effect.gen(function* () {
  const [webhooks, unit, egress] = [yield* Webhooks, yield* UnitOfWork, yield* MemoryEgress]
  const received = yield* Deferred.make<Readonly<Record<string, string>>>()
  egress.respondWith(({ headers }) => Effect.as(Deferred.succeed(received, headers), aResponse(200)))
  yield* startDeliveryWorker()
  const caller = aCaller()
  const url = "https://receiver.example.com/hooks"
  yield* webhooks.registerEndpoint({ caller, url, eventTypes: [], description: null, idempotency: undefined })
  const runFailed = defineEvent({
    type: "run.failed",
    when: "A run failed",
    data: Schema.Struct({ run_id: Schema.String }),
    sample: () => ({ run_id: "run-0" })
  })
  yield* unit.atomic(publish(runFailed, caller, { run_id: "run-1" }))
  return (yield* Deferred.await(received))["x-service-event-type"] // "run.failed"
})

const memory = Webhooks.layer.pipe(Layer.provideMerge(stores), Layer.provideMerge(kernel))

export const example = program.pipe(Effect.scoped, Effect.provide(memory))
