import { atomic, type WorkspaceCaller } from "@agent-platform/kernel"
import { aCaller, aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunReader } from "../ports/RunReader.ts"
import type { Run } from "../Run.ts"
import { OPENING_LENGTH_MAX, type RunFilter, type RunPosition, readPosition } from "../RunList.ts"
import { anAgent, aRun, aSession } from "./builders.ts"
import { addRuns, at, type RunStores } from "./givenRuns.ts"

/** The contract of the lists of runs. */
export const runListContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores | Tenants, E>) =>
  describe(`lists of runs over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const insert = (runs: ReadonlyArray<Run>) => atomic(addRuns(...runs))

      /** Stores an agent and a session, in a workspace of their own unless a caller is given. */
      const given = Effect.fnUntraced(function* (caller?: WorkspaceCaller) {
        const owner = caller ?? aCaller(yield* aTenant())
        const agent = anAgent(owner)
        const session = aSession(agent)
        yield* atomic(AgentStore.use((agents) => agents.insert(agent)))
        return { caller: owner, agent, session, run: (override: Partial<Run> = {}) => aRun(agent, session, override) }
      })

      const list = (of: { readonly caller: WorkspaceCaller }, filter: RunFilter, limit = 50, before?: string) =>
        RunReader.use((store) =>
          store.list(of.caller.workspaceId, filter, {
            limit,
            before: before === undefined ? undefined : readPosition(before)
          })
        )
      const idsOf = (runs: ReadonlyArray<Run>) => runs.map((run) => run.id)

      it.effect("shows a workspace's runs whole, newest first by when they were triggered, and nobody else's", () =>
        Effect.gen(function* () {
          const of = yield* given()
          const other = yield* given()
          // Ids come from several clocks, so runs are ordered by time and not by id.
          const runs = [of.run({ createdAt: at(2) }), of.run({ createdAt: at(1) }), of.run({ createdAt: at(3) })]
          yield* insert([...runs, other.run()])
          const page = yield* list(of, {})
          assert.deepStrictEqual(page, { items: [runs[2]!, runs[0]!, runs[1]!], next: undefined })
        })
      )

      it.effect("goes on page by page while others are being triggered, at the same moment too", () =>
        Effect.gen(function* () {
          const of = yield* given()
          const runs = Array.from({ length: 5 }, () => of.run())
          yield* insert(runs)
          const newest = idsOf(runs).sort().reverse()
          const first = yield* list(of, {}, 2)
          assert.deepStrictEqual(idsOf(first.items), newest.slice(0, 2))
          yield* insert([of.run({ createdAt: at(1) })])
          const second = yield* list(of, {}, 2, first.next)
          assert.deepStrictEqual(idsOf(second.items), newest.slice(2, 4))
          const last = yield* list(of, {}, 2, second.next)
          assert.deepStrictEqual([idsOf(last.items), last.next], [newest.slice(4), undefined])
        })
      )

      it.effect("says that nothing follows when the last page is full", () =>
        Effect.gen(function* () {
          const of = yield* given()
          yield* insert([of.run(), of.run()])
          assert.isUndefined((yield* list(of, {}, 2)).next)
        })
      )

      it.effect("lets each filter through what it means, and their combination", () =>
        Effect.gen(function* () {
          const of = yield* given()
          const beside = yield* given(of.caller)
          const ended = { finishedAt: at(9) }
          const runs = {
            queued: of.run({ createdAt: at(1), tags: ["a", "b"] }),
            succeeded: of.run({ createdAt: at(2), status: "succeeded", tags: ["b"], ...ended }),
            failed: of.run({ createdAt: at(3), status: "failed", tags: [], ...ended }),
            cancelled: beside.run({ createdAt: at(4), status: "cancelled", tags: ["a"], ...ended })
          } as const
          yield* insert(Object.values(runs))
          const cases: ReadonlyArray<readonly [RunFilter, ReadonlyArray<keyof typeof runs>]> = [
            [{}, ["cancelled", "failed", "succeeded", "queued"]],
            [{ status: "queued" }, ["queued"]],
            [{ status: "running" }, []],
            [{ status: "succeeded" }, ["succeeded"]],
            [{ status: "failed" }, ["failed"]],
            [{ status: "cancelled" }, ["cancelled"]],
            [{ agentId: of.agent.id }, ["failed", "succeeded", "queued"]],
            [{ sessionId: beside.session.id }, ["cancelled"]],
            [{ tag: "a" }, ["cancelled", "queued"]],
            [{ tag: "" }, []],
            [{ since: at(3) }, ["cancelled", "failed"]],
            [{ until: at(3) }, ["succeeded", "queued"]],
            [{ since: at(2), until: at(4) }, ["failed", "succeeded"]],
            [{ agentId: of.agent.id, tag: "b", since: at(2), status: "succeeded" }, ["succeeded"]],
            [{ agentId: of.agent.id, tag: "a", since: at(2) }, []]
          ]
          for (const [filter, names] of cases) {
            const { items } = yield* list(of, filter)
            assert.deepStrictEqual(idsOf(items), idsOf(names.map((name) => runs[name])), JSON.stringify(filter))
          }
        })
      )

      it.effect(
        "shows the openings of a page's runs: their ids, and the first characters of what each was triggered with",
        () =>
          Effect.gen(function* () {
            const of = yield* given()
            const other = yield* given()
            const emoji = "😀".repeat(OPENING_LENGTH_MAX)
            const prompts = [null, "", "short", `${emoji}end`, `${"x".repeat(OPENING_LENGTH_MAX)}end`]
            const runs = prompts.map((prompt, index) => of.run({ prompt, createdAt: at(index), tags: ["a"] }))
            yield* insert([...runs, other.run()])
            const openings = runs.map(({ createdAt, id, sessionId }, index) => ({
              id,
              sessionId,
              createdAt,
              opening: [null, "", "short", emoji, "x".repeat(OPENING_LENGTH_MAX)][index]!
            }))
            const open = (filter: RunFilter, limit: number, before?: RunPosition) =>
              RunReader.use((store) => store.openings(of.caller.workspaceId, filter, { limit, before }))
            assert.deepStrictEqual(yield* open({}, 50), { items: openings.toReversed(), next: undefined })
            const filter = { tag: "a", until: at(4) }
            const first = yield* open(filter, 3)
            assert.deepStrictEqual(first.items, openings.slice(1, 4).toReversed())
            const last = yield* open(filter, 3, readPosition(first.next!))
            assert.deepStrictEqual(last, { items: openings.slice(0, 1), next: undefined })
          })
      )

      it.effect("lists the runs whose question waits: neither answered nor cancelled", () =>
        Effect.gen(function* () {
          const of = yield* given()
          const asked = { status: "succeeded", paused: true, finishedAt: at(9) } as const
          const reply = of.run({ createdAt: at(1) })
          const waiting = [of.run({ ...asked, createdAt: at(2) }), of.run({ ...asked, createdAt: at(3), tags: [] })]
          yield* insert([
            reply,
            ...waiting,
            of.run({ ...asked, resumedByRunId: reply.id }),
            of.run({ ...asked, questionCancelledAt: at(9) }),
            of.run({ ...asked, paused: false })
          ])
          const [older, newer] = idsOf(waiting)
          assert.deepStrictEqual(idsOf((yield* list(of, { isWaiting: true })).items), [newer!, older!])
          assert.deepStrictEqual(idsOf((yield* list(of, { isWaiting: true, tag: "nightly" })).items), [older!])
          const first = yield* list(of, { isWaiting: true }, 1)
          const second = yield* list(of, { isWaiting: true }, 1, first.next)
          assert.deepStrictEqual([idsOf(second.items), second.next], [[older!], undefined])
        })
      )

      it.effect("finds nothing under another workspace's agent or session", () =>
        Effect.gen(function* () {
          const mine = yield* given()
          const theirs = yield* given()
          yield* insert([mine.run(), theirs.run()])
          assert.isEmpty((yield* list(mine, { agentId: theirs.agent.id })).items)
          assert.isEmpty((yield* list(mine, { sessionId: theirs.session.id })).items)
        })
      )

      it.effect("pages on under a filter", () =>
        Effect.gen(function* () {
          const of = yield* given()
          const runs = Array.from({ length: 6 }, (_, index) =>
            of.run({ createdAt: at(index), tags: [index % 2 === 0 ? "even" : "odd"] })
          )
          yield* insert(runs)
          const first = yield* list(of, { tag: "even" }, 2)
          assert.deepStrictEqual(idsOf(first.items), idsOf([runs[4]!, runs[2]!]))
          const second = yield* list(of, { tag: "even" }, 2, first.next)
          assert.deepStrictEqual([idsOf(second.items), second.next], [idsOf([runs[0]!]), undefined])
        })
      )
    })
  })
