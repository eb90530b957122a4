import { atomic } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { RunContentStore } from "../ports/RunContentStore.ts"
import { RunEraser } from "../ports/RunEraser.ts"
import { RunId } from "../Run.ts"
import type { ContentPart } from "../RunContent.ts"
import { anAgent } from "./builders.ts"
import { aClaimedRun, type RunStores, settle, succeeded } from "./givenRuns.ts"

const PARTS: ReadonlyArray<ContentPart> = [
  { type: "text", text: 'é 💡 "quoted"' },
  { type: "image", mediaType: null, source: { type: "url", url: "https://example.com/a.png" } },
  { type: "file", mediaType: "application/pdf", filename: "é.pdf", source: { type: "data", data: "AAAA" } }
]

/** The contract of every store of what is sent beside messages. */
export const runContentStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<RunStores | RunContentStore | RunEraser, E>
) =>
  describe(`run content store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const given = Effect.gen(function* () {
        const claimed = yield* aClaimedRun
        yield* atomic(RunContentStore.use((store) => store.insert(claimed.run, PARTS)))
        return { ...claimed, store: yield* RunContentStore }
      })

      it.effect("gives back what was sent, and how much it is, of the runs that are named", () =>
        Effect.gen(function* () {
          const { run, store } = yield* given
          const other = yield* given
          const ids = [run.id, anId(RunId)]
          assert.deepStrictEqual([...(yield* store.load(run.workspaceId, ids))], [[run.id, PARTS]])
          const bytes = new TextEncoder().encode(JSON.stringify(PARTS)).length
          assert.deepStrictEqual([...(yield* store.sizes(run.workspaceId, ids))], [[run.id, bytes]])
          assert.strictEqual((yield* store.load(run.workspaceId, [])).size, 0)
          assert.strictEqual((yield* store.load(run.workspaceId, [other.run.id])).size, 0)
        })
      )

      it.effect("shows it to its own workspace alone", () =>
        Effect.gen(function* () {
          const { run, store } = yield* given
          const stranger = anAgent().workspaceId
          assert.strictEqual((yield* store.load(stranger, [run.id])).size, 0)
          assert.strictEqual((yield* store.sizes(stranger, [run.id])).size, 0)
        })
      )

      it.effect("keeps nothing of a transaction that fails, and nothing of a run that is erased", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          const store = yield* RunContentStore
          yield* Effect.exit(atomic(Effect.andThen(store.insert(claimed.run, PARTS), Effect.fail("refused"))))
          assert.strictEqual((yield* store.load(claimed.run.workspaceId, [claimed.run.id])).size, 0)
          const { claimToken, run } = yield* given
          yield* settle(claimToken, succeeded(run))
          yield* atomic(RunEraser.use((eraser) => eraser.remove(run.workspaceId, [run.id])))
          assert.strictEqual((yield* store.load(run.workspaceId, [run.id])).size, 0)
        })
      )
    })
  })
