import { atomic } from "@agent-platform/kernel"
import { CheckpointStore, RunContentStore, RunHistory } from "@agent-platform/runs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aClaimedRun, NEVER, settle, succeeded } from "../src/testing/givenRuns.ts"
import { memory } from "./runFault.ts"

layer(memory)("Runs that memory forgets", (it) => {
  it.effect("are gone with their checkpoints and with what was sent beside their messages", () =>
    Effect.gen(function* () {
      const { claimToken, run } = yield* aClaimedRun
      const contents = yield* RunContentStore
      const checkpoints = yield* CheckpointStore
      yield* atomic(contents.insert(run, [{ type: "text", text: "Hello" }]))
      yield* atomic(checkpoints.save({ run, claimToken, state: "half way", kept: true }))
      yield* settle(claimToken, succeeded(run))
      assert.strictEqual((yield* contents.load(run.workspaceId, [run.id])).size, 1)
      const portion = { before: NEVER, after: undefined, limit: 10 }
      const { ids } = yield* RunHistory.use((history) => atomic(history.forget(portion)))
      assert.deepStrictEqual(ids, [run.id])
      assert.strictEqual((yield* contents.load(run.workspaceId, [run.id])).size, 0)
      assert.isUndefined(yield* checkpoints.load(run.workspaceId, run.id))
    })
  )
})
