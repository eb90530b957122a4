/** The workers' work by the clock. */
import { PriceBook } from "@agent-platform/billing"
import { layer as billingStores } from "@agent-platform/billing/memory"
import { JobQueue, SecretBox, UnitOfWork } from "@agent-platform/kernel"
import { layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { PlatformKeys, ProviderKeyStore, ProviderKeys, providerKeyPlace } from "@agent-platform/keys"
import { layer as keysStores, layerProviderProbe, MemoryProviderProbe } from "@agent-platform/keys/memory"
import { aProviderKey } from "@agent-platform/keys/testing"
import { CLOCK, JOB_KINDS, layerBilling, Scheduler, WORKER_JOBS } from "@agent-platform/platform"
import { AgentRunner, Schedules, SpendGate } from "@agent-platform/runs"
import { layer as runsStores } from "@agent-platform/runs/memory"
import { layer as webhooksStores } from "@agent-platform/webhooks/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

const layerSchedules = Schedules.layer.pipe(Layer.provide([SpendGate.layerOpen, AgentRunner.layer([])]))

const memory = Layer.mergeAll(ProviderKeys.layer, layerBilling, layerSchedules).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      keysStores,
      runsStores,
      webhooksStores,
      billingStores,
      layerProviderProbe,
      PlatformKeys.layer({}),
      PriceBook.layerEmpty
    )
  ),
  Layer.provideMerge(kernel)
)

describe("the jobs of workers", () => {
  it("come due by the clock and have a queue each", () => {
    const queues = JOB_KINDS.map(({ name }) => name)
    assert.strictEqual(new Set(queues).size, queues.length)
    for (const { kind } of CLOCK) assert.include(queues, kind.name)
    for (const { kind } of WORKER_JOBS)
      assert.include(
        CLOCK.map((one) => one.kind.name),
        kind.name
      )
  })

  it.effect("ask the providers about keys", () =>
    Effect.gen(function* () {
      const unit = yield* UnitOfWork
      const store = yield* ProviderKeyStore
      const box = yield* SecretBox
      const queue = yield* JobQueue
      const probe = yield* MemoryProviderProbe
      const key = aProviderKey()
      const value = yield* box.seal(providerKeyPlace(key), Redacted.make("sk-dead"))
      yield* unit.atomic(store.insert(key, value))
      probe.answerWith(() => Effect.succeed({ type: "rejected", providerStatus: 401, providerCode: null }))
      const [job] = WORKER_JOBS.filter(({ kind }) => kind.name === "provider_keys.probe")
      yield* unit.atomic(queue.enqueue(job!.kind, {}))
      yield* Effect.gen(function* () {
        for (let looks = 0; looks < 100 && probe.questions.length === 0; looks++) yield* TestClock.adjust("1 second")
        yield* TestClock.adjust("1 second")
      }).pipe(Effect.provide(Scheduler.layerOf(WORKER_JOBS)))
      assert.strictEqual((yield* store.find(key.workspaceId, key.id))?.status, "invalid")
      assert.isEmpty(yield* MemoryDatabase.use((database) => database.table("job").all))
    }).pipe(Effect.provide(Layer.fresh(memory)))
  )
})
