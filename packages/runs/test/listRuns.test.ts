/** A page of runs that is searched ends after a bounded look, and goes on from there. */
import { atomic } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import { AgentStore, RUNS_LOOKED_AT_MAX, type Run, RunReader } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { addRuns, anAgent, aRun, aSession, BUILT_AT } from "@agent-platform/runs/testing"
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { listRuns } from "../src/use-cases/listRuns.ts"

const caller = aCaller()
const memory = Layer.provideMerge(stores, kernel)

/** Stores runs a second apart, newest first. */
const given = Effect.fnUntraced(function* (count: number, promptOf: (index: number) => string) {
  const agent = anAgent(caller)
  const session = aSession(agent)
  const runs = Array.from({ length: count }, (_, index) =>
    aRun(agent, session, { prompt: promptOf(index), createdAt: DateTime.subtract(BUILT_AT, { seconds: index }) })
  )
  yield* atomic(AgentStore.use((agents) => Effect.andThen(agents.insert(agent), addRuns(...runs))))
  return runs
})

const find = (search: string, limit: number, before?: string) =>
  listRuns({ caller, filter: { search }, page: { limit, before } })

const idsOf = (runs: ReadonlyArray<Run>) => runs.map(({ id }) => id)

it.effect("looks at so many runs and no more, and finds the rest on later pages", () =>
  Effect.gen(function* () {
    const rare = RUNS_LOOKED_AT_MAX + 5
    const runs = yield* given(rare + 10, (index) => `n${index}n`)
    const looks = { openings: 0, reads: 0 }
    const counted = Layer.effect(
      RunReader,
      RunReader.use((store) =>
        Effect.succeed({
          ...store,
          openings: (...args) =>
            Effect.tap(store.openings(...args), ({ items }) => {
              looks.openings += items.length
              return Effect.void
            }),
          find: (...args) => {
            looks.reads++
            return store.find(...args)
          }
        } satisfies RunReader["Service"])
      )
    )
    yield* Effect.gen(function* () {
      const first = yield* find(`N${rare}N`, 5)
      assert.isEmpty(first.items)
      assert.deepStrictEqual(looks, { openings: RUNS_LOOKED_AT_MAX, reads: 0 })
      const second = yield* find(`N${rare}N`, 5, first.next)
      assert.deepStrictEqual(second, { items: [runs[rare]!], next: undefined })
      assert.strictEqual(looks.reads, 1)
    }).pipe(Effect.provide(counted))
  }).pipe(Effect.provide(memory))
)

it.effect("ends a full page behind its last run, where more of the portion are found", () =>
  Effect.gen(function* () {
    const runs = yield* given(600, (index) => (index % 2 === 0 ? "even" : "odd"))
    const seen: Array<string> = []
    let before: string | undefined
    do {
      const page = yield* find("even", 50, before)
      assert.isAtMost(page.items.length, 50)
      seen.push(...idsOf(page.items))
      before = page.next
    } while (before !== undefined)
    assert.deepStrictEqual(seen, idsOf(runs.filter((_, index) => index % 2 === 0)))
  }).pipe(Effect.provide(memory))
)
