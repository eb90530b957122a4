import { defineEvent, OrganizationId, publish, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { aResponse, layer as kernel, MemoryEgress } from "@agent-platform/kernel/memory"
import { startDeliveryWorker, Webhooks } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { Deferred, Effect, Layer, Schema } from "effect"

// Who asks, and for which workspace: your service knows.
const caller = {
  organizationId: OrganizationId.make("01a1fd50-ceeb-745b-8b02-bf48380265e2"),
  workspaceId: WorkspaceId.make("01a1fd50-ceeb-745b-8b02-bf49d85f268d"),
  actor: { type: "user", id: "ada", label: "Ada" }
} as const

const program = Effect.gen(function* () {
  const [webhooks, unit, egress] = [yield* Webhooks, yield* UnitOfWork, yield* MemoryEgress]
  const received = yield* Deferred.make<Readonly<Record<string, string>>>()
  egress.respondWith(({ headers }) => Effect.as(Deferred.succeed(received, headers), aResponse(200)))
  yield* startDeliveryWorker()
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
