/** A deployment that keeps no checkpoints, offers no inbound webhooks and exports no records. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { CheckpointStore, InboundWebhookStore, RecordKeyStore, Runs, startRunWorker } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { aStoredAgent, ended, layerRecipes, trigger } from "./support.ts"

const none = Layer.mergeAll(CheckpointStore.layerNone, InboundWebhookStore.layerNone, RecordKeyStore.layerNone)

const without = Runs.layer.pipe(
  Layer.provideMerge(layerRecipes()),
  Layer.provideMerge(Layer.provideMerge(none, Layer.provideMerge(stores, kernel))),
  Layer.fresh
)

describe("a deployment without the stores that it does not use", () => {
  it.live("executes runs", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      yield* startRunWorker()
      const run = yield* trigger(of, { input: { steps: [{ return: 1 }] } })
      assert.strictEqual((yield* ended(of.caller, run.id)).status, "succeeded")
    }).pipe(Effect.scoped, Effect.provide(without))
  )

  it.effect("shows agents without webhooks, and says which store it lacks where one is to be made", () =>
    Effect.gen(function* () {
      const { agent, caller } = yield* aStoredAgent()
      assert.isEmpty(yield* InboundWebhookStore.use((store) => store.ofAgents(caller.workspaceId, [agent.id])))
      const runs = yield* Runs
      const made = yield* Effect.exit(runs.createWebhook({ caller, agentId: agent.id, verification: "none" }))
      assert.include(String(made), "InboundWebhookStore.layerNone keeps none")
    }).pipe(Effect.provide(without))
  )
})
