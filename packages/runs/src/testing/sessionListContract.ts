import { atomic } from "@agent-platform/kernel"
import { aCaller, anId, aTenant } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AgentStore } from "../ports/AgentStore.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import type { Run } from "../Run.ts"
import { OPENING_LENGTH_MAX, readPosition } from "../RunList.ts"
import { SessionId } from "../Session.ts"
import { type BeginningFilter, beginningOf } from "../SessionList.ts"
import { anAgent, aRun, aSession } from "./builders.ts"
import {
  addRuns,
  asking,
  at,
  claimInWorkspaceOf,
  givenRuns,
  join,
  type RunStores,
  settle,
  succeeded
} from "./givenRuns.ts"

/** The contract of the lists of sessions. */
export const sessionListContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores, E>) =>
  describe(`lists of sessions over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      /** Stores an agent, in a workspace of its own unless one is given. */
      const given = Effect.fnUntraced(function* (tenant?: ReturnType<typeof aCaller>) {
        const caller = tenant ?? aCaller(yield* aTenant())
        const agent = anAgent(caller)
        yield* atomic(AgentStore.use((agents) => agents.insert(agent)))
        /** Begins a session with a run. */
        const begin = (override: Partial<Run> = {}) => {
          const run = aRun(agent, aSession(agent), override)
          return Effect.as(atomic(addRuns(run)), run)
        }
        return { caller, agent, begin }
      })
      type Given = Effect.Success<ReturnType<typeof given>>

      const list = ({ caller }: Given, filter: BeginningFilter = {}, limit = 50, before?: string) =>
        SessionStore.use((store) =>
          store.beginnings(caller.workspaceId, filter, {
            limit,
            before: before === undefined ? undefined : readPosition(before)
          })
        )
      const standing = (...ids: ReadonlyArray<SessionId>) => SessionRuns.use((store) => store.standings(ids))

      it.effect("shows how a workspace's sessions began, newest first, and nobody else's", () =>
        Effect.gen(function* () {
          const of = yield* given()
          yield* (yield* given()).begin()
          const one = yield* of.begin({ createdAt: at(2), prompt: "Refund it" })
          const two = yield* of.begin({ createdAt: at(1), prompt: null })
          const three = yield* of.begin({ createdAt: at(3), prompt: "é💡".repeat(OPENING_LENGTH_MAX) })
          yield* join({ agent: of.agent, session: { ...aSession(of.agent), id: two.sessionId } }, { createdAt: at(9) })
          const page = yield* list(of)
          assert.deepStrictEqual(page, { items: [three, one, two].map(beginningOf), next: undefined })
          assert.strictEqual(page.items[0]?.firstMessage, "é💡".repeat(OPENING_LENGTH_MAX / 2))
        })
      )

      it.effect("goes on page by page while others begin, at the same moment too", () =>
        Effect.gen(function* () {
          const of = yield* given()
          const begun = yield* Effect.forEach(Array.from({ length: 5 }), () => of.begin())
          const newest = begun
            .map(({ id }) => id)
            .sort()
            .reverse()
          const idsOf = (items: ReadonlyArray<{ readonly runId: string }>) => items.map(({ runId }) => runId)
          const first = yield* list(of, {}, 2)
          assert.deepStrictEqual(idsOf(first.items), newest.slice(0, 2))
          yield* of.begin({ createdAt: at(1) })
          const second = yield* list(of, {}, 2, first.next)
          assert.deepStrictEqual(idsOf(second.items), newest.slice(2, 4))
          const last = yield* list(of, {}, 1, second.next)
          assert.deepStrictEqual([idsOf(last.items), last.next], [newest.slice(4), undefined])
        })
      )

      it.effect("lets each filter through what it means, and their combination", () =>
        Effect.gen(function* () {
          const of = yield* given()
          const beside = yield* given(of.caller)
          const begun = {
            one: yield* of.begin({ createdAt: at(1) }),
            two: yield* of.begin({ createdAt: at(2) }),
            three: yield* beside.begin({ createdAt: at(3) })
          } as const
          // A session belongs to the agent of its first run, whatever agent joins later.
          const joined = { agent: beside.agent, session: { ...aSession(of.agent), id: begun.one.sessionId } }
          yield* join(joined, { createdAt: at(4) })
          const cases: ReadonlyArray<readonly [BeginningFilter, ReadonlyArray<keyof typeof begun>]> = [
            [{}, ["three", "two", "one"]],
            [{ agentId: of.agent.id }, ["two", "one"]],
            [{ agentId: beside.agent.id }, ["three"]],
            [{ since: at(2) }, ["three", "two"]],
            [{ until: at(2) }, ["one"]],
            [{ agentId: of.agent.id, since: at(2), until: at(3) }, ["two"]]
          ]
          for (const [filter, names] of cases) {
            const { items } = yield* list(of, filter)
            const expected = names.map((name) => beginningOf(begun[name]))
            assert.deepStrictEqual(items, expected, JSON.stringify(filter))
          }
          assert.isEmpty((yield* list(yield* given(), { agentId: of.agent.id })).items)
        })
      )

      it.effect("knows how many sessions stand at once, and leaves out those without runs", () =>
        Effect.gen(function* () {
          const [busy, waiting] = [yield* givenRuns(3), yield* givenRuns(2)]
          yield* claimInWorkspaceOf(busy.first)
          const settleAs = (becomes: (run: Run) => Run) =>
            Effect.gen(function* () {
              const [claimed] = yield* claimInWorkspaceOf(waiting.first)
              const run = becomes(claimed!.run)
              yield* settle(claimed!.claimToken, run)
              return run
            })
          const asked = yield* settleAs((run) => ({ ...asking(run), message: "?".repeat(OPENING_LENGTH_MAX + 1) }))
          const last = yield* settleAs(succeeded)
          const unknown = anId(SessionId)
          const found = yield* standing(busy.session.id, unknown, waiting.session.id)
          assert.deepStrictEqual(
            found,
            new Map([
              [
                busy.session.id,
                {
                  unfinished: { queued: 2, running: 1 },
                  latest: { id: busy.runs[2]!.id, status: "queued", paused: false },
                  question: undefined
                }
              ],
              [
                waiting.session.id,
                {
                  unfinished: { queued: 0, running: 0 },
                  latest: { id: last.id, status: "succeeded", paused: false },
                  question: { id: asked.id, message: "?".repeat(OPENING_LENGTH_MAX), askedAt: asked.finishedAt! }
                }
              ]
            ])
          )
          assert.strictEqual((yield* standing()).size, 0)
          yield* atomic(SessionRuns.use((store) => store.answer(asked.id, last.id)))
          assert.isUndefined((yield* standing(waiting.session.id)).get(waiting.session.id)?.question)
        })
      )
    })
  })
