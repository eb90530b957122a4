import { atomic } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer, type Schema } from "effect"
import { CheckpointStore } from "../ports/CheckpointStore.ts"
import type { ClaimedRun } from "../ports/RunQueue.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import type { Run } from "../Run.ts"
import { anAgent } from "./builders.ts"
import {
  aClaimedRun,
  asking,
  at,
  claimInWorkspaceOf,
  givenRuns,
  join,
  type RunStores,
  settle,
  succeeded
} from "./givenRuns.ts"

/** The contract of every store of checkpoints. */
export const checkpointStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<RunStores | CheckpointStore, E>
) =>
  describe(`checkpoint store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const save = ({ claimToken, run }: ClaimedRun, state: Schema.Json, kept = false) =>
        CheckpointStore.use((store) => store.save({ run, claimToken, state, kept }))
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

      const removeSpent = (...runs: ReadonlyArray<Run>) =>
        CheckpointStore.use((store) => store.removeSpent(runs.map(({ id }) => id)))

      /** The runs of a session, one after another, each with this checkpoint or with none and its end. */
      const session = Effect.fnUntraced(function* (
        runs: number,
        ends: (index: number) => {
          readonly kept?: boolean
          readonly state?: Schema.Json | undefined
          readonly ending?: (run: Run) => Run
        },
        override: Partial<Run> = {}
      ) {
        const given = yield* givenRuns(runs, override)
        const ended: Array<Run> = []
        for (const index of given.runs.keys()) {
          const [claimed] = yield* claimInWorkspaceOf(given.first)
          const { ending = succeeded, kept = true, state = `state ${index}` } = ends(index)
          if (state !== null) yield* atomic(save(claimed!, state, kept))
          const after = ending(claimed!.run)
          yield* settle(claimed!.claimToken, after)
          yield* atomic(removeSpent(after))
          ended.push(after)
        }
        return { ...given, ended }
      })
      const recall = (run: Run, override: Partial<Run> = {}) =>
        CheckpointStore.use((store) => store.recall({ ...run, ...override }))
      const loadOf = ({ id, workspaceId }: Run) => CheckpointStore.use((store) => store.load(workspaceId, id))

      it.effect("removes those of ended runs that no session keeps, and no other, whether there are any or not", () =>
        Effect.gen(function* () {
          const [one, two, bare] = [yield* aClaimedRun, yield* aClaimedRun, yield* aClaimedRun]
          yield* atomic(save(one, 1))
          yield* atomic(save(two, 2))
          for (const { claimToken, run } of [one, two, bare]) yield* settle(claimToken, succeeded(run))
          const remove = removeSpent(one.run, bare.run)
          yield* Effect.exit(atomic(Effect.andThen(remove, Effect.fail("refused"))))
          assert.strictEqual(yield* load(one), 1)
          yield* atomic(remove)
          yield* atomic(removeSpent())
          assert.isUndefined(yield* load(one))
          assert.strictEqual(yield* load(two), 2)
        })
      )

      it.effect("recalls what the session has kept of the last run before this one, of the same agent and recipe", () =>
        Effect.gen(function* () {
          const given = yield* session(2, (index) => ({ state: index === 0 ? { first: "\u0000é" } : null }))
          const next = yield* join(given)
          assert.deepStrictEqual(yield* recall(next), { first: "\u0000é" })
          assert.isUndefined(yield* recall(given.first))
          const stranger = anAgent()
          assert.isUndefined(yield* recall(next, { agentId: stranger.id }))
          assert.isUndefined(yield* recall(next, { recipe: "another" }))
          assert.isUndefined(yield* recall(next, { workspaceId: stranger.workspaceId }))
          const elsewhere = yield* givenRuns(1)
          assert.isUndefined(yield* recall(elsewhere.first))
        })
      )

      it.effect("recalls nothing that its session does not keep", () =>
        Effect.gen(function* () {
          const given = yield* session(1, () => ({ kept: false, ending: asking }))
          assert.strictEqual(yield* loadOf(given.first), "state 0")
          assert.isUndefined(yield* recall(yield* join(given)))
        })
      )

      it.effect("keeps that of a session's last run alone", () =>
        Effect.gen(function* () {
          const given = yield* session(3, (index) => ({ state: index === 2 ? null : `state ${index}` }))
          const left = yield* Effect.forEach(given.runs, loadOf)
          assert.deepStrictEqual(left, [undefined, "state 1", undefined])
        })
      )

      it.effect("keeps that of a question until it is cancelled, or the run that answers it has ended", () =>
        Effect.gen(function* () {
          for (const kept of [false, true]) {
            const given = yield* session(2, (index) => ({
              kept: kept || index === 1,
              ...(index === 0 && { ending: asking })
            }))
            const [question] = given.runs
            assert.strictEqual(yield* loadOf(question!), "state 0")
            const answer = yield* join(given, { resumesRunId: question!.id })
            yield* SessionRuns.use((runs) => atomic(runs.answer(question!.id, answer.id)))
            yield* atomic(removeSpent(question!, given.ended[1]!))
            assert.strictEqual(yield* loadOf(question!), "state 0")
            const [claimed] = yield* claimInWorkspaceOf(given.first)
            yield* atomic(save(claimed!, "answered", kept))
            yield* settle(claimed!.claimToken, succeeded(claimed!.run))
            yield* atomic(removeSpent(answer, question!))
            assert.isUndefined(yield* loadOf(question!))
            assert.strictEqual(yield* loadOf(answer), kept ? "answered" : undefined)
          }
          const open = yield* session(1, () => ({ kept: false, ending: asking }))
          yield* SessionRuns.use((runs) => atomic(runs.cancelQuestions(open.session.id, at(9))))
          yield* atomic(removeSpent(open.first))
          assert.isUndefined(yield* loadOf(open.first))
        })
      )
    })
  })
