import { UnitOfWork } from "@agent-platform/kernel"
import { anId, aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { AgentStore } from "../ports/AgentStore.ts"
import type { RunLog } from "../ports/RunLog.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { failed, finished, handedBack, type Run, RunId } from "../Run.ts"
import { anAgent, aRun, aSession, BUILT_AT } from "./builders.ts"
import { spendCases } from "./runSpend.ts"

export type RunStores = UnitOfWork | AgentStore | SessionStore | RunStore | RunLog | Tenants

const at = (seconds: number) => DateTime.add(BUILT_AT, { seconds })

/** What every store of runs must hold. */
export const runStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores, E>) =>
  describe(`run store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const atomic = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
      /** An agent with a session and so many queued runs in it, oldest first. */
      const given = (runs: number, override: Partial<Run> = {}) =>
        atomic(
          Effect.gen(function* () {
            const agent = anAgent(yield* aTenant())
            const session = aSession(agent)
            yield* AgentStore.use((agents) => agents.insert(agent))
            yield* SessionStore.use((sessions) => sessions.insert(session))
            const made = Array.from({ length: runs }, () => aRun(agent, session, override))
            yield* Effect.forEach(made, (run) => RunStore.use((store) => store.insert(run)), { discard: true })
            return { agent, session, runs: made, first: made[0]! }
          })
        )
      const claim = (ids: ReadonlyArray<RunId>, now = at(0)) =>
        atomic(RunStore.use((store) => store.claim(ids, { leaseSeconds: 10, now })))
      const succeed = (run: Run) => finished(run, { _tag: "Succeeded", result: "done", message: "done" }, at(5))
      const settle = (claimToken: string | null, run: Run) =>
        atomic(RunStore.use((store) => store.settle([{ claimToken, run }])))
      const find = (run: Run) => RunStore.use((store) => store.find(run.workspaceId, run.id))

      spendCases(it)

      it.effect("gives back a run with every field as it was written", () =>
        Effect.gen(function* () {
          const { first } = yield* given(1, {
            input: { text: 'é 💡 "quoted"', list: [1, 2.5, null, true], nested: { a: {} } },
            prompt: null,
            expiresAt: at(3600),
            runAt: at(1),
            maxCostUsd: "1.25",
            tags: [],
            metadata: { "a b": "c" }
          })
          assert.deepStrictEqual(yield* find(first), first)
        })
      )

      it.effect("hides a run from every other workspace", () =>
        Effect.gen(function* () {
          const { first } = yield* given(1)
          const other = anAgent()
          assert.isUndefined(yield* RunStore.use((store) => store.find(other.workspaceId, first.id)))
          assert.isUndefined(yield* RunStore.use((store) => store.find(first.workspaceId, anId(RunId))))
        })
      )

      it.effect("claims a queued run: running, its attempt counted, its agent beside it", () =>
        Effect.gen(function* () {
          const { agent, first } = yield* given(1)
          const [claimed] = yield* claim([first.id], at(1))
          assert.deepStrictEqual(claimed?.agent, agent)
          assert.deepStrictEqual(claimed?.run, { ...first, status: "running", attempt: 1, startedAt: at(1) })
          assert.deepStrictEqual(yield* find(first), claimed?.run)
        })
      )

      it.effect("lets one of many claimers have a run", () =>
        Effect.gen(function* () {
          const { first } = yield* given(1)
          const claims = yield* Effect.forEach(Array.from({ length: 10 }), () => claim([first.id]), {
            concurrency: "unbounded"
          })
          assert.strictEqual(claims.flat().length, 1)
        })
      )

      it.effect("claims no run before the older ones of its session have ended, and then says which is next", () =>
        Effect.gen(function* () {
          const { runs } = yield* given(3)
          const [one, two, three] = runs as [Run, Run, Run]
          const [first, ...others] = yield* claim([three.id, two.id, one.id])
          assert.strictEqual(first?.run.id, one.id)
          assert.isEmpty(others)
          assert.isEmpty(yield* claim([two.id]))
          const [written] = yield* settle(first!.claimToken, succeed(first!.run))
          assert.strictEqual(written?.next?.id, two.id)
          assert.strictEqual((yield* claim([two.id])).length, 1)
        })
      )

      it.effect("claims no run beside another of its session that runs, not even one with an older id", () =>
        Effect.gen(function* () {
          const older = anId(RunId)
          const { agent, first, session } = yield* given(1)
          const [running] = yield* claim([first.id])
          const late = aRun(agent, session, { id: older })
          yield* atomic(RunStore.use((store) => store.insert(late)))
          assert.isEmpty(yield* claim([late.id]))
          const [written] = yield* settle(running!.claimToken, succeed(running!.run))
          assert.strictEqual(written?.next?.id, late.id)
        })
      )

      it.effect("writes an outcome under its claim, once, and never changes it again", () =>
        Effect.gen(function* () {
          const { first } = yield* given(1)
          const [claimed] = yield* claim([first.id])
          const after = succeed(claimed!.run)
          assert.strictEqual((yield* settle(claimed!.claimToken, after)).length, 1)
          assert.deepStrictEqual(yield* find(first), after)
          assert.isEmpty(yield* settle(claimed!.claimToken, failed(claimed!.run, "agent_error", "late", at(6))))
          assert.isEmpty(yield* settle(null, failed(claimed!.run, "agent_error", "late", at(6))))
          assert.deepStrictEqual(yield* find(first), after)
        })
      )

      it.effect("writes nothing of a transaction that fails, and the claim still holds", () =>
        Effect.gen(function* () {
          const { first } = yield* given(1)
          const [claimed] = yield* claim([first.id])
          const settled = RunStore.use((store) =>
            store.settle([{ claimToken: claimed!.claimToken, run: succeed(claimed!.run) }])
          )
          yield* Effect.exit(atomic(Effect.andThen(settled, Effect.fail("refused"))))
          assert.deepStrictEqual(yield* find(first), claimed?.run)
          assert.strictEqual((yield* settle(claimed!.claimToken, succeed(claimed!.run))).length, 1)
        })
      )

      it.effect("finds a claim lapsed when its lease is over, unless it was renewed", () =>
        Effect.gen(function* () {
          const { first } = yield* given(1)
          const [claimed] = yield* claim([first.id], at(0))
          const lapsedAt = (seconds: number) =>
            Effect.map(atomic(RunStore.use((store) => store.lapsed({ max: 1000, now: at(seconds) }))), (found) =>
              found.some(({ run }) => run.id === first.id)
            )
          assert.isFalse(yield* lapsedAt(9))
          assert.isTrue(yield* lapsedAt(11))
          const renewed = yield* RunStore.use((store) =>
            store.renew([claimed!.claimToken, anId(RunId)], { leaseSeconds: 10, now: at(8) })
          )
          assert.deepStrictEqual([...renewed], [claimed!.claimToken])
          assert.isFalse(yield* lapsedAt(11))
          assert.isTrue(yield* lapsedAt(19))
        })
      )

      it.effect("fences a slow worker off: a run that was taken over keeps what its new holder writes", () =>
        Effect.gen(function* () {
          const { first } = yield* given(1)
          const [slow] = yield* claim([first.id])
          // Handed back without losing an attempt, so that the attempt number alone would not tell the two apart.
          yield* settle(slow!.claimToken, handedBack(slow!.run))
          const [fresh] = yield* claim([first.id], at(20))
          assert.strictEqual(fresh?.run.attempt, slow?.run.attempt)
          assert.notStrictEqual(fresh?.claimToken, slow?.claimToken)
          assert.isEmpty(yield* settle(slow!.claimToken, succeed(slow!.run)))
          assert.isEmpty([
            ...(yield* RunStore.use((store) => store.renew([slow!.claimToken], { leaseSeconds: 10, now: at(21) })))
          ])
          assert.strictEqual((yield* find(first))?.status, "running")
        })
      )

      it.effect("does not claim an expired run and finds it expired", () =>
        Effect.gen(function* () {
          const { first } = yield* given(1, { expiresAt: at(60) })
          const expiredAt = (seconds: number) =>
            Effect.map(atomic(RunStore.use((store) => store.expired({ max: 1000, now: at(seconds) }))), (found) =>
              found.some((run) => run.id === first.id)
            )
          assert.isFalse(yield* expiredAt(59))
          assert.isEmpty(yield* claim([first.id], at(61)))
          assert.isTrue(yield* expiredAt(61))
          assert.strictEqual((yield* settle(null, failed(first, "expired", "too late", at(61)))).length, 1)
          assert.strictEqual((yield* find(first))?.errorCode, "expired")
        })
      )

      it.effect("counts the queued runs of a workspace, up to a limit, and knows a busy session", () =>
        Effect.gen(function* () {
          const { first, session } = yield* given(3)
          const count = (limit: number) => RunStore.use((store) => store.countQueued(first.workspaceId, limit))
          assert.strictEqual(yield* count(10), 3)
          assert.strictEqual(yield* count(2), 2)
          assert.isTrue(yield* RunStore.use((store) => store.isBusy(session.id)))
          const empty = yield* given(0)
          assert.isFalse(yield* RunStore.use((store) => store.isBusy(empty.session.id)))
        })
      )

      it.effect("holds a session for one transaction at a time, and only for its own workspace", () =>
        Effect.gen(function* () {
          const { agent, session } = yield* given(0)
          const hold = SessionStore.use((sessions) => sessions.hold(agent.workspaceId, session.id))
          let inside = 0
          yield* Effect.forEach(
            Array.from({ length: 8 }),
            () =>
              atomic(
                Effect.gen(function* () {
                  yield* hold
                  inside++
                  yield* Effect.yieldNow
                  assert.strictEqual(inside, 1)
                  inside--
                })
              ),
            { concurrency: "unbounded" }
          )
          assert.isUndefined(
            yield* atomic(SessionStore.use((sessions) => sessions.hold(anAgent().workspaceId, session.id)))
          )
        })
      )
    })
  })
