import { atomic } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import type { Run } from "../Run.ts"
import { anAgent } from "./builders.ts"
import {
  asking,
  at,
  claimInWorkspaceOf,
  givenRuns,
  join,
  type RunStores,
  settle,
  stored,
  succeeded
} from "./givenRuns.ts"

/** The contract of the questions and messages of sessions. */
export const sessionContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores, E>) =>
  describe(`sessions over ${adapter}`, () => {
    // With the real clock, since stores over Postgres use the clock of the server.
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      /** Claims `run`, which must be the first due run of its session, and ends it as `ending` says. */
      const settleAs = (run: Run, ending: (run: Run) => Run) =>
        Effect.gen(function* () {
          const [claimed] = yield* claimInWorkspaceOf(run)
          yield* settle(claimed!.claimToken, ending(claimed!.run))
        })
      const question = (run: Run) => SessionRuns.use((store) => store.openQuestion(run.sessionId))
      const answer = (asked: Run, by: Run) => atomic(SessionRuns.use((store) => store.answer(asked.id, by.id)))

      it.effect("finds and holds a session for its own workspace alone", () =>
        Effect.gen(function* () {
          const { agent, session } = yield* givenRuns(1)
          const stranger = anAgent().workspaceId
          const sessions = yield* SessionStore
          assert.deepStrictEqual(yield* sessions.find(agent.workspaceId, session.id), session)
          assert.deepStrictEqual(yield* atomic(sessions.hold(agent.workspaceId, session.id)), session)
          assert.isUndefined(yield* sessions.find(stranger, session.id))
          assert.isUndefined(yield* atomic(sessions.hold(stranger, session.id)))
        })
      )

      it.effect("knows the latest open question of a session, and none that was answered", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(3)
          const [one, two, three] = given.runs as [Run, Run, Run]
          assert.isUndefined(yield* question(one))
          yield* settleAs(one, asking)
          yield* settleAs(two, asking)
          yield* settleAs(three, succeeded)
          assert.strictEqual((yield* question(one))?.id, two.id)
          assert.isTrue(yield* answer(two, three))
          assert.strictEqual((yield* stored(two))?.resumedByRunId, three.id)
          assert.strictEqual((yield* question(one))?.id, one.id)
        })
      )

      it.effect("lets one of many answers win", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(1)
          yield* settleAs(given.first, asking)
          const replies = yield* Effect.forEach(Array.from({ length: 8 }), () => join(given))
          const won = yield* Effect.forEach(replies, (by) => answer(given.first, by), { concurrency: "unbounded" })
          assert.strictEqual(won.filter(Boolean).length, 1)
          assert.strictEqual((yield* stored(given.first))?.resumedByRunId, replies[won.indexOf(true)]?.id)
        })
      )

      it.effect("cancels the open questions of one session, after which nobody answers them", () =>
        Effect.gen(function* () {
          const [mine, other] = [yield* givenRuns(2), yield* givenRuns(1)]
          for (const run of mine.runs) yield* settleAs(run, asking)
          yield* settleAs(other.first, asking)
          const cancel = atomic(SessionRuns.use((store) => store.cancelQuestions(mine.session.id, at(30))))
          assert.sameMembers(
            [...(yield* cancel)],
            mine.runs.map((run) => run.id)
          )
          assert.isEmpty(yield* cancel)
          assert.isUndefined(yield* question(mine.first))
          assert.isFalse(yield* answer(mine.first, yield* join(mine)))
          assert.deepInclude(yield* stored(mine.first), {
            status: "succeeded",
            paused: true,
            resumedByRunId: null,
            questionCancelledAt: at(30)
          })
          assert.strictEqual((yield* question(other.first))?.id, other.first.id)
        })
      )

      it.effect("reminds of each open question that was asked before a time, once for any number of callers", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(5)
          const [answered, cancelled, ...rest] = given.runs as [Run, Run, Run, Run, Run]
          yield* settleAs(answered, asking)
          yield* answer(answered, rest[0])
          yield* settleAs(cancelled, asking)
          yield* atomic(SessionRuns.use((store) => store.cancelQuestions(given.session.id, at(30))))
          for (const run of rest) yield* settleAs(run, asking)
          const mine = (runs: ReadonlyArray<Run>) => runs.filter(({ sessionId }) => sessionId === given.session.id)
          const remind = (askedBefore: DateTime.Utc, max: number) =>
            Effect.map(atomic(SessionRuns.use((store) => store.remind({ askedBefore, max }))), (found) => {
              assert.isAtMost(found.length, max)
              return mine(found)
            })
          const asked = (yield* stored(rest[0]))?.finishedAt as DateTime.Utc
          assert.isEmpty(yield* remind(asked, 100))
          const later = DateTime.add(asked, { days: 1 })
          const found = yield* Effect.all([remind(later, 1), remind(later, 100), remind(later, 100)], {
            concurrency: "unbounded"
          })
          found.push(yield* remind(later, 100))
          assert.sameMembers(
            found.flat().map(({ id }) => id),
            rest.map(({ id }) => id)
          )
          for (const run of rest) {
            const told = found.flat().find(({ id }) => id === run.id)
            assert.deepStrictEqual(told, yield* stored(run))
          }
          assert.strictEqual((yield* question(given.first))?.id, rest[2]?.id)
        })
      )

      it.effect("counts the unfinished runs of a session, and knows its latest run", () =>
        Effect.gen(function* () {
          const { first, runs, session } = yield* givenRuns(3)
          const [claimed] = yield* claimInWorkspaceOf(first)
          const sessionRuns = yield* SessionRuns
          assert.deepStrictEqual(yield* sessionRuns.countUnfinished(session.id), { queued: 2, running: 1 })
          assert.strictEqual((yield* sessionRuns.latest(session.id))?.id, runs[2]?.id)
          const hold = (max: number, before?: Run["id"]) =>
            Effect.map(atomic(sessionRuns.holdUnfinished(session.id, max, before)), (held) =>
              held.map(({ claimToken, run }) => [run.id, claimToken])
            )
          // A hold takes the last runs in the order of execution, so `hold(2)` leaves out the first run, which is running.
          const [one, two, three] = [
            [first.id, claimed!.claimToken],
            [runs[1]!.id, null],
            [runs[2]!.id, null]
          ]
          assert.deepStrictEqual(yield* hold(2), [two, three])
          assert.deepStrictEqual(yield* hold(2, runs[2]!.id), [one, two])
          assert.deepStrictEqual(yield* hold(2, runs[1]!.id), [one])
          assert.deepStrictEqual(yield* hold(2, first.id), [])
          const empty = yield* givenRuns(0)
          assert.isUndefined(yield* sessionRuns.latest(empty.session.id))
          assert.deepStrictEqual(yield* sessionRuns.countUnfinished(empty.session.id), { queued: 0, running: 0 })
        })
      )

      it.effect("reads the messages of a session, newest first, page by page, while more is being said", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(1, { prompt: "Refund it", input: { private: true } })
          yield* settleAs(given.first, asking)
          const reply = yield* join(given, {
            prompt: "Yes",
            input: { decision: "approve", data: null },
            trigger: { type: "message", id: "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77" }
          })
          yield* settleAs(reply, succeeded)
          yield* join(given, { prompt: null })
          const sessions = yield* SessionStore
          const read = (limit: number, before?: string) => sessions.messages(given.session.id, { limit, before })
          const all = (yield* read(50)).items
          assert.deepStrictEqual(
            all.map(({ isQuestion, role, runId, text }) => [runId, role, text, isQuestion]),
            [
              [reply.id, "agent", "done", false],
              [reply.id, "user", "Yes", false],
              [given.first.id, "agent", "Shall I?", true],
              [given.first.id, "user", "Refund it", false]
            ]
          )
          assert.deepStrictEqual(
            all.map((message) => message.reply),
            [null, { decision: "approve", data: null }, null, null]
          )
          assert.strictEqual(all[1]?.id, "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77")
          assert.strictEqual(new Set(all.map(({ id }) => id)).size, 4)
          assert.isTrue(DateTime.isGreaterThan(all[2]!.createdAt, all[3]!.createdAt))
          const first = yield* read(1)
          yield* join(given, { prompt: "And?" })
          const second = yield* read(2, first.next)
          const third = yield* read(2, second.next)
          assert.deepStrictEqual([...first.items, ...second.items, ...third.items], all)
          assert.isUndefined(third.next)
        })
      )

      it.effect("keeps what was said in one session out of every other", () =>
        Effect.gen(function* () {
          yield* givenRuns(1)
          const empty = yield* givenRuns(0)
          const { items } = yield* SessionStore.use((sessions) =>
            sessions.messages(empty.session.id, { limit: 50, before: undefined })
          )
          assert.isEmpty(items)
        })
      )
    })
  })
