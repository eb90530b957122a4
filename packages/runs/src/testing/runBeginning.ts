import { atomic } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { RunAcceptance } from "../ports/RunAcceptance.ts"
import { RunLog } from "../ports/RunLog.ts"
import { RunSettlement } from "../ports/RunSettlement.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { RunId } from "../Run.ts"
import { aRun, aSession } from "./builders.ts"
import { at, claimInWorkspaceOf, givenRuns, type RunStores, settle, stored, succeeded } from "./givenRuns.ts"

/** Cases about the rows that are written together with a run. */
export const beginningCases = (it: Vitest.MethodsNonLive<RunStores>) => {
  it.effect("writes a run together with the session that it begins and the beginning of its log", () =>
    Effect.gen(function* () {
      const { agent } = yield* givenRuns(0)
      const session = aSession(agent)
      const run = aRun(agent, session)
      const events = (["message.received", "run.queued"] as const).map((type, index) => ({
        type,
        createdAt: at(index),
        attempt: 0,
        data: { index }
      }))
      yield* atomic(RunAcceptance.use((store) => store.insert([{ run, events, beginsSession: true }])))
      const read = (after: number) => RunLog.use((log) => log.read(run.id, { after, limit: 10 }))
      assert.deepStrictEqual(yield* stored(run), run)
      assert.deepStrictEqual(yield* SessionStore.use((sessions) => sessions.find(run.workspaceId, session.id)), session)
      const logged = events.map((event, index) => ({
        ...event,
        runId: run.id,
        sessionId: session.id,
        seq: index + 1
      }))
      assert.deepStrictEqual(yield* read(0), logged)
      const [claimed] = yield* claimInWorkspaceOf(run)
      const started = { type: "run.started", createdAt: at(9), attempt: 1, data: {} } as const
      yield* atomic(
        RunLog.use((log) => log.append([{ runId: run.id, claimToken: claimed!.claimToken, events: [started] }]))
      )
      assert.deepStrictEqual(
        (yield* read(2)).map(({ seq, type }) => [seq, type]),
        [[3, "run.started"]]
      )
    })
  )

  it.effect("logs the beginning of an attempt with its claim, and its end with the outcome", () =>
    Effect.gen(function* () {
      const { first } = yield* givenRuns(1)
      const read = RunLog.use((log) => log.read(first.id, { after: 0, limit: 10 }))
      const [claimed] = yield* claimInWorkspaceOf(first, { loggedAt: at(1) })
      const { claimToken, run } = claimed!
      const events = [1, 2].map((index) => ({
        type: "tool.completed" as const,
        createdAt: at(1 + index),
        attempt: 1,
        data: { text: 'é 💡 "quoted"', index }
      }))
      const started = { type: "run.started" as const, createdAt: at(1), attempt: 1, data: {} }
      const mine = { runId: first.id, sessionId: first.sessionId }
      assert.deepStrictEqual(yield* read, [{ ...started, ...mine, seq: 1 }])
      yield* atomic(
        RunSettlement.use((store) => store.settle([{ claimToken: anId(RunId), run: succeeded(run), events }]))
      )
      assert.lengthOf(yield* read, 1, "a claim that was lost has logged something")
      yield* atomic(RunSettlement.use((store) => store.settle([{ claimToken, run: succeeded(run), events }])))
      assert.deepStrictEqual(yield* read, [
        { ...started, ...mine, seq: 1 },
        ...events.map((event, index) => ({ ...event, ...mine, seq: 2 + index }))
      ])
      assert.strictEqual(yield* RunLog.use((log) => log.lastSeq(first.id)), 3)
    })
  )

  it.effect("logs nothing of a claim or an outcome whose transaction fails", () =>
    Effect.gen(function* () {
      const { first } = yield* givenRuns(1)
      const refused = claimInWorkspaceOf(first, { loggedAt: at(1) }).pipe(Effect.andThen(Effect.fail("refused")))
      yield* Effect.exit(atomic(refused))
      const [claimed] = yield* claimInWorkspaceOf(first)
      const event = { type: "run.succeeded" as const, createdAt: at(2), attempt: 1, data: {} }
      const settled = [{ claimToken: claimed!.claimToken, run: succeeded(claimed!.run), events: [event] }]
      const settle = RunSettlement.use((store) => store.settle(settled))
      yield* Effect.exit(atomic(Effect.andThen(settle, Effect.fail("refused"))))
      assert.isEmpty(yield* RunLog.use((log) => log.read(first.id, { after: 0, limit: 10 })))
    })
  )

  it.effect("puts the next run behind the one that began the session", () =>
    Effect.gen(function* () {
      const { agent } = yield* givenRuns(0)
      const session = aSession(agent)
      const [first, second] = [aRun(agent, session), aRun(agent, session)]
      yield* atomic(RunAcceptance.use((store) => store.insert([{ run: first, events: [], beginsSession: true }])))
      yield* atomic(
        Effect.andThen(
          SessionStore.use((sessions) => sessions.hold(session.workspaceId, session.id)),
          RunAcceptance.use((store) => store.insert([{ run: second, events: [], beginsSession: false }]))
        )
      )
      assert.deepStrictEqual(
        (yield* claimInWorkspaceOf(first)).map(({ run }) => run.id),
        [first.id]
      )
    })
  )

  it.effect("writes runs that begin sessions and runs that join others at once, each in its own line", () =>
    Effect.gen(function* () {
      const [busy, over] = [yield* givenRuns(2), yield* givenRuns(1)]
      const [ending] = yield* claimInWorkspaceOf(over.first)
      yield* settle(ending!.claimToken, succeeded(ending!.run))
      const begun = aSession(busy.agent)
      const [joining, next, first] = [
        aRun(busy.agent, busy.session),
        aRun(over.agent, over.session),
        aRun(busy.agent, begun)
      ]
      const events = [{ type: "run.queued" as const, createdAt: at(0), attempt: 0, data: { of: "joining" } }]
      yield* atomic(
        RunAcceptance.use((store) =>
          store.insert([
            { run: joining, events, beginsSession: false },
            { run: first, events: [], beginsSession: true },
            { run: next, events: [], beginsSession: false }
          ])
        )
      )
      for (const run of [joining, next, first]) assert.deepStrictEqual(yield* stored(run), run)
      const log = yield* RunLog.use((logs) => logs.read(joining.id, { after: 0, limit: 10 }))
      assert.deepStrictEqual(log, [{ ...events[0]!, runId: joining.id, sessionId: joining.sessionId, seq: 1 }])
      const claimed = [...(yield* claimInWorkspaceOf(busy.first)), ...(yield* claimInWorkspaceOf(over.first))]
      assert.sameMembers(
        claimed.map(({ run }) => run.id),
        [busy.first.id, first.id, next.id]
      )
      const latest = yield* SessionRuns.use((store) => store.latest(busy.session.id))
      assert.strictEqual(latest?.id, joining.id)
    })
  )

  it.effect("writes many runs that begin sessions at once, of several workspaces, whatever they are to be", () =>
    Effect.gen(function* () {
      const agents = [(yield* givenRuns(0)).agent, (yield* givenRuns(0)).agent]
      const firsts = Array.from({ length: 7 }, (_, index) => {
        const agent = agents[index % 2]!
        const session = aSession(agent)
        const run = aRun(agent, session, {
          input: index === 0 ? null : { text: 'é 💡 "quoted", {a}', index },
          prompt: index === 1 ? null : `Hello, "${index}" \\ {}`,
          tags: index === 2 ? [] : ["a, b", "NULL", '"c"', `{${index}}`],
          metadata: index === 3 ? {} : { 'a "b"': "c" },
          maxCostUsd: index === 4 ? null : "0.000000000001",
          runAt: index === 5 ? at(60) : null,
          expiresAt: index === 6 ? at(3_600) : null,
          trigger: index % 2 === 0 ? { type: "api", id: null } : { type: "webhook", id: "evt_1" },
          trace: index === 0 ? null : `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
          maxDurationSeconds: 0.5 + index,
          priority: index - 3
        })
        const events = (["message.received", "run.queued"] as const)
          .slice(index % 2)
          .map((type) => ({ type, createdAt: at(index), attempt: 0, data: { index } }))
        return { run, session, events }
      })
      yield* atomic(
        RunAcceptance.use((store) => store.insert(firsts.map((first) => ({ ...first, beginsSession: true }))))
      )
      for (const { events, run, session } of firsts) {
        assert.deepStrictEqual(yield* stored(run), run)
        assert.deepStrictEqual(
          yield* SessionStore.use((sessions) => sessions.find(run.workspaceId, session.id)),
          session
        )
        assert.deepStrictEqual(
          yield* RunLog.use((log) => log.read(run.id, { after: 0, limit: 10 })),
          events.map((event, index) => ({ ...event, runId: run.id, sessionId: session.id, seq: index + 1 }))
        )
      }
      const mine = firsts.map(({ run }) => run).filter(({ workspaceId }) => workspaceId === agents[0]!.workspaceId)
      const claimed = yield* claimInWorkspaceOf(mine[0]!)
      assert.sameMembers(
        claimed.map(({ run }) => run.id),
        mine.filter(({ expiresAt }) => expiresAt === null).map(({ id }) => id)
      )
    })
  )

  it.effect("keeps neither session nor log of a run whose transaction fails", () =>
    Effect.gen(function* () {
      const { agent } = yield* givenRuns(0)
      const session = aSession(agent)
      const run = aRun(agent, session)
      const events = [{ type: "run.queued" as const, createdAt: at(0), attempt: 0, data: {} }]
      const insert = RunAcceptance.use((store) => store.insert([{ run, events, beginsSession: true }]))
      yield* Effect.exit(atomic(Effect.andThen(insert, Effect.fail("refused"))))
      assert.isUndefined(yield* stored(run))
      assert.isUndefined(yield* SessionStore.use((sessions) => sessions.find(run.workspaceId, session.id)))
      assert.isEmpty(yield* RunLog.use((log) => log.read(run.id, { after: 0, limit: 10 })))
    })
  )
}
