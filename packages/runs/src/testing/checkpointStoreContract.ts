import { atomic } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer, type Schema } from "effect"
import { CheckpointStore } from "../ports/CheckpointStore.ts"
import type { ClaimedRun } from "../ports/RunQueue.ts"
import { anAgent } from "./builders.ts"
import { aClaimedRun, type RunStores, settle, succeeded } from "./givenRuns.ts"

/** The contract of every store of checkpoints. */
export const checkpointStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<RunStores | CheckpointStore, E>
) =>
  describe(`checkpoint store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const save = ({ claimToken, run }: ClaimedRun, state: Schema.Json) =>
        CheckpointStore.use((store) => store.save({ run, claimToken, state }))
      const load = ({ run }: ClaimedRun) => CheckpointStore.use((store) => store.load(run.workspaceId, run.id))

      it.effect("gives back what was saved last, character by character", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          assert.isUndefined(yield* load(claimed))
          assert.isTrue(yield* atomic(save(claimed, { step: 1 })))
          const state = { b: ["é 💡", "\u0000", "\ud83d", null, 1.5], a: { deep: [{}] } }
          assert.isTrue(yield* atomic(save(claimed, state)))
          const found = yield* load(claimed)
          assert.deepStrictEqual(found, state)
          assert.deepStrictEqual(Object.keys(found as object), ["b", "a"])
        })
      )

      it.effect("saves nothing under a claim that is lost, and says so", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          const stale = { ...claimed, claimToken: "00000000-0000-4000-8000-000000000000" }
          assert.isFalse(yield* atomic(save(stale, { late: true })))
          assert.isUndefined(yield* load(claimed))
          yield* atomic(save(claimed, { kept: true }))
          assert.isFalse(yield* atomic(save(stale, { late: true })))
          assert.deepStrictEqual(yield* load(claimed), { kept: true })
        })
      )

      it.effect("saves nothing for a run that has ended", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          yield* settle(claimed.claimToken, succeeded(claimed.run))
          assert.isFalse(yield* atomic(save(claimed, { late: true })))
          assert.isUndefined(yield* load(claimed))
        })
      )

      it.effect("saves nothing of a transaction that fails", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          yield* atomic(save(claimed, { step: 1 }))
          yield* Effect.exit(atomic(Effect.andThen(save(claimed, { step: 2 }), Effect.fail("refused"))))
          assert.deepStrictEqual(yield* load(claimed), { step: 1 })
        })
      )

      it.effect("keeps one of several that are saved at once, whole", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          const states = Array.from({ length: 12 }, (_, index) => ({ step: index, twice: index }))
          yield* Effect.forEach(states, (state) => atomic(save(claimed, state)), { concurrency: "unbounded" })
          const found = yield* load(claimed)
          assert.isTrue(states.some((state) => JSON.stringify(state) === JSON.stringify(found)))
        })
      )

      it.effect("shows a checkpoint to its own workspace alone", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          yield* atomic(save(claimed, { step: 1 }))
          const stranger = anAgent().workspaceId
          assert.isUndefined(yield* CheckpointStore.use((store) => store.load(stranger, claimed.run.id)))
        })
      )

      it.effect("removes those that are named and no other, whether there are any or not", () =>
        Effect.gen(function* () {
          const [one, two, bare] = [yield* aClaimedRun, yield* aClaimedRun, yield* aClaimedRun]
          yield* atomic(save(one, 1))
          yield* atomic(save(two, 2))
          const remove = CheckpointStore.use((store) => store.remove([one.run.id, bare.run.id]))
          yield* Effect.exit(atomic(Effect.andThen(remove, Effect.fail("refused"))))
          assert.strictEqual(yield* load(one), 1)
          yield* atomic(remove)
          yield* atomic(CheckpointStore.use((store) => store.remove([])))
          assert.isUndefined(yield* load(one))
          assert.strictEqual(yield* load(two), 2)
        })
      )
    })
  })
