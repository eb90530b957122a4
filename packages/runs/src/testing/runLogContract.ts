import { atomic } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { RunLog } from "../ports/RunLog.ts"
import type { ClaimedRun } from "../ports/RunQueue.ts"
import { RunId } from "../Run.ts"
import { LOG_PAGE_BYTES, type NewRunEvent } from "../RunEvent.ts"
import { jsonBytes } from "../utf8.ts"
import { BUILT_AT } from "./builders.ts"
import { aClaimedRun, type RunStores, settle, succeeded } from "./givenRuns.ts"

const NO_RUN = "00000000-0000-4000-8000-000000000000"

const delta = (text: string): NewRunEvent => ({
  type: "message.delta",
  createdAt: BUILT_AT,
  attempt: 1,
  data: { text }
})

/** The contract of every log of runs. */
export const runLogContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores, E>) =>
  describe(`run log over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const append = (claimed: ClaimedRun, ...texts: ReadonlyArray<string>) =>
        RunLog.use((log) =>
          log.append([{ runId: claimed.run.id, claimToken: claimed.claimToken, events: texts.map(delta) }])
        )
      const read = (claimed: ClaimedRun, after = 0, limit = 100) =>
        RunLog.use((log) => log.read(claimed.run.id, { after, limit }))

      it.effect("gives back events whole and numbered from one, without gaps", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          yield* atomic(append(claimed, "a", "b"))
          yield* atomic(append(claimed, "é 💡"))
          const found = yield* read(claimed)
          assert.deepStrictEqual(
            found.map((event) => event.seq),
            [1, 2, 3]
          )
          assert.deepStrictEqual(found[2], {
            runId: claimed.run.id,
            sessionId: claimed.run.sessionId,
            seq: 3,
            ...delta("é 💡")
          })
          assert.strictEqual(yield* RunLog.use((log) => log.lastSeq(claimed.run.id)), 3)
        })
      )

      it.effect("says how much it holds, as JSON with no more than the white space between its parts", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          const bytes = RunLog.use((log) => log.bytes(claimed.run.id))
          assert.strictEqual(yield* bytes, 0)
          yield* atomic(append(claimed, "a", "é 💡".repeat(1_000)))
          yield* atomic(append(claimed, "b"))
          const length = (yield* read(claimed)).reduce((sum, { data }) => sum + jsonBytes(data), 0)
          assert.isAtLeast(yield* bytes, length)
          assert.isAtMost(yield* bytes, length + 3)
          assert.strictEqual(yield* RunLog.use((log) => log.bytes(RunId.make(NO_RUN))), 0)
        })
      )

      it.effect("reads on after any number, so much at a time", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          yield* atomic(append(claimed, "a", "b", "c", "d"))
          assert.deepStrictEqual(
            (yield* read(claimed, 1, 2)).map((event) => event.seq),
            [2, 3]
          )
          assert.isEmpty(yield* read(claimed, 4))
        })
      )

      it.effect("ends a page with the event that fills it, however many were asked for", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          const large = "x".repeat(LOG_PAGE_BYTES / 4)
          yield* atomic(append(claimed, "a", large, large, large, large, "b", "c"))
          assert.deepStrictEqual(
            (yield* read(claimed)).map((event) => event.seq),
            [1, 2, 3, 4, 5]
          )
          assert.deepStrictEqual(
            (yield* read(claimed, 5)).map((event) => event.seq),
            [6, 7]
          )
          assert.isEmpty(yield* read(claimed, 0, 0))
        })
      )

      it.effect("gives out no number twice when many append at once", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          yield* Effect.forEach(
            Array.from({ length: 12 }, (_, index) => `${index}`),
            (text) => atomic(append(claimed, text, text)),
            { concurrency: "unbounded" }
          )
          const found = yield* read(claimed)
          assert.deepStrictEqual(
            found.map((event) => event.seq),
            Array.from({ length: 24 }, (_, index) => index + 1)
          )
        })
      )

      it.effect("appends nothing under a claim that is lost", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          yield* atomic(append({ ...claimed, claimToken: "00000000-0000-4000-8000-000000000000" }, "late"))
          assert.isEmpty(yield* read(claimed))
        })
      )

      it.effect("appends nothing to a run that has ended, not even under no claim", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          yield* settle(claimed.claimToken, succeeded(claimed.run))
          for (const claimToken of [claimed.claimToken, null]) {
            const entry = { runId: claimed.run.id, claimToken, events: [delta("late")] }
            yield* atomic(RunLog.use((log) => log.append([entry])))
          }
          assert.isEmpty(yield* read(claimed))
        })
      )

      it.effect("appends nothing of a transaction that fails", () =>
        Effect.gen(function* () {
          const claimed = yield* aClaimedRun
          yield* Effect.exit(atomic(Effect.andThen(append(claimed, "lost"), Effect.fail("refused"))))
          yield* atomic(append(claimed, "kept"))
          assert.deepStrictEqual(
            (yield* read(claimed)).map((event) => [event.seq, event.data]),
            [[1, { text: "kept" }]]
          )
        })
      )

      it.effect("keeps the logs of several runs apart in one append", () =>
        Effect.gen(function* () {
          const [one, two] = [yield* aClaimedRun, yield* aClaimedRun]
          yield* atomic(
            RunLog.use((log) =>
              log.append([
                { runId: one.run.id, claimToken: one.claimToken, events: [delta("1a"), delta("1b")] },
                { runId: two.run.id, claimToken: two.claimToken, events: [delta("2a")] }
              ])
            )
          )
          assert.deepStrictEqual(
            (yield* read(one)).map((event) => event.data),
            [{ text: "1a" }, { text: "1b" }]
          )
          assert.deepStrictEqual(
            (yield* read(two)).map((event) => event.data),
            [{ text: "2a" }]
          )
        })
      )
    })
  })
