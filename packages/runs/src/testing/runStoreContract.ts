import { atomic } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer, Schedule } from "effect"
import { RunAcceptance } from "../ports/RunAcceptance.ts"
import { RunQueue } from "../ports/RunQueue.ts"
import { RunReader } from "../ports/RunReader.ts"
import { RunSettlement } from "../ports/RunSettlement.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { Run, RunId } from "../Run.ts"
import { anAgent } from "./builders.ts"
import {
  at,
  claimInWorkspaceOf,
  freshBy,
  givenRuns,
  has,
  join,
  NEVER,
  type RunStores,
  settle,
  stored,
  succeeded
} from "./givenRuns.ts"
import { beginningCases } from "./runBeginning.ts"
import { usageCases } from "./runUsage.ts"

const renew = (tokens: ReadonlyArray<string>, leaseSeconds = 3_600) =>
  RunQueue.use((store) => store.renew(tokens, { leaseSeconds }))

/** The contract of every store of runs. */
export const runStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores, E>) =>
  describe(`run store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      usageCases(it)
      beginningCases(it)

      it.effect("gives back a run with every field as it was written", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1, {
            input: { text: 'é 💡 "quoted"', list: [1, 2.5, null, true], nested: { a: {} } },
            prompt: null,
            expiresAt: at(3600),
            runAt: at(1),
            overrides: { model: "openai/gpt-5", stop: ["é"], toolChoice: { name: "f" }, outputSchema: { a: [null] } },
            maxCostUsd: "1.25",
            tags: [],
            metadata: { "a b": "c" },
            trigger: { type: "message", id: "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77" }
          })
          assert.deepStrictEqual(yield* stored(first), first)
        })
      )

      it.effect("hides a run from every other workspace", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const other = anAgent()
          assert.isUndefined(yield* RunReader.use((store) => store.find(other.workspaceId, first.id)))
          assert.isUndefined(yield* RunReader.use((store) => store.find(first.workspaceId, anId(RunId))))
        })
      )

      it.effect("claims a run with a model of its own under that model", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1, { overrides: { model: "google/gemini-3" } })
          const [claimed] = yield* claimInWorkspaceOf(first)
          assert.strictEqual(claimed?.run.model, "google/gemini-3")
          assert.notStrictEqual(claimed?.agent.model, "google/gemini-3")
        })
      )

      it.effect("claims a queued run: running since now, its attempt counted, its agent beside it", () =>
        Effect.gen(function* () {
          const { agent, first } = yield* givenRuns(1)
          const [claimed] = yield* claimInWorkspaceOf(first)
          assert.deepStrictEqual(claimed?.agent, agent)
          const startedAt = claimed?.run.startedAt ?? null
          assert.isTrue(startedAt !== null && DateTime.isGreaterThan(startedAt, first.createdAt))
          const begun = { agentVersion: 3, model: "openai/gpt-5" }
          assert.deepStrictEqual(claimed?.run, { ...first, ...begun, status: "running", attempt: 1, startedAt })
          assert.deepStrictEqual(yield* stored(first), claimed?.run)
        })
      )

      it.effect("lets one of many claimers have a run", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const claims = yield* Effect.forEach(Array.from({ length: 10 }), () => claimInWorkspaceOf(first), {
            concurrency: "unbounded"
          })
          assert.strictEqual(claims.flat().length, 1)
        })
      )

      it.effect("claims no run before those ahead of it in its session have ended", () =>
        Effect.gen(function* () {
          const { first, runs } = yield* givenRuns(3)
          for (const run of runs) {
            const [claimed, ...others] = yield* claimInWorkspaceOf(first)
            assert.strictEqual(claimed?.run.id, run.id)
            assert.isEmpty(others)
            assert.isEmpty(yield* claimInWorkspaceOf(first))
            yield* settle(claimed!.claimToken, succeeded(claimed!.run))
          }
          assert.isEmpty(yield* claimInWorkspaceOf(first))
        })
      )

      // Ids come from the clocks of several machines, so their order says nothing.
      it.effect("orders the runs of a session by when they joined it, whatever their ids say", () =>
        Effect.gen(function* () {
          const older = anId(RunId)
          const given = yield* givenRuns(1)
          const late = yield* join(given, { id: older })
          const [claimed, ...others] = yield* claimInWorkspaceOf(late)
          assert.isEmpty(others)
          assert.strictEqual(claimed?.run.id, given.first.id)
          yield* settle(claimed!.claimToken, succeeded(claimed!.run))
          assert.strictEqual((yield* claimInWorkspaceOf(late))[0]?.run.id, late.id)
        })
      )

      it.effect("gives a run that is queued again its place at the head of its session back", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(2)
          const [claimed] = yield* claimInWorkspaceOf(first)
          yield* settle(claimed!.claimToken, Run.handedBack(claimed!.run, at(6)))
          const again = yield* claimInWorkspaceOf(first)
          assert.deepStrictEqual(
            again.map(({ run }) => run.id),
            [first.id]
          )
        })
      )

      it.effect("writes an outcome under its claim, once, and never changes it again", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const [claimed] = yield* claimInWorkspaceOf(first)
          const after = succeeded(claimed!.run)
          assert.strictEqual((yield* settle(claimed!.claimToken, after)).size, 1)
          assert.deepStrictEqual(yield* stored(first), after)
          const late = Run.failed(claimed!.run, "agent_error", "late", at(6))
          for (const claimToken of [claimed!.claimToken, null]) {
            assert.strictEqual((yield* settle(claimToken, late)).size, 0)
            const held = yield* atomic(RunSettlement.use((store) => store.hold([{ runId: first.id, claimToken }])))
            assert.strictEqual(held.size, 0)
          }
          assert.deepStrictEqual(yield* stored(first), after)
        })
      )

      it.effect("writes nothing of a transaction that fails, and the claim still holds", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const [claimed] = yield* claimInWorkspaceOf(first)
          const { claimToken, run } = claimed!
          const written = RunSettlement.use((store) => store.settle([{ claimToken, run: succeeded(run) }]))
          yield* Effect.exit(atomic(Effect.andThen(written, Effect.fail("refused"))))
          assert.deepStrictEqual(yield* stored(first), run)
          assert.strictEqual((yield* settle(claimToken, succeeded(run))).size, 1)
        })
      )

      it.effect("finds a claim lapsed when its lease is over, unless it was renewed", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const [claimed] = yield* claimInWorkspaceOf(first, { leaseSeconds: 0 })
          const isLapsed = Effect.map(atomic(RunQueue.use((store) => store.lapsed({ max: 1_000 }))), (held) =>
            has(held, first.id)
          )
          assert.isTrue(yield* isLapsed)
          const renewed = yield* renew([claimed!.claimToken, anId(RunId)])
          assert.deepStrictEqual([...renewed], [[claimed!.claimToken, null]])
          assert.isFalse(yield* isLapsed)
          yield* renew([claimed!.claimToken], 0)
          assert.isTrue(yield* isLapsed)
        })
      )

      it.effect("finds the runs of a claim by who made it, while they are under that claim", () =>
        Effect.gen(function* () {
          const [{ first: one }, { first: other }] = [yield* givenRuns(1), yield* givenRuns(1)]
          const [mine, another] = [freshBy(), freshBy()]
          const [claimed] = yield* claimInWorkspaceOf(one, { by: mine })
          yield* claimInWorkspaceOf(other, { by: another })
          const of = (by: string) => atomic(RunQueue.use((store) => store.claimedBy(by)))
          assert.deepStrictEqual(
            (yield* of(mine)).map(({ claimToken, run }) => [run.id, claimToken]),
            [[one.id, claimed!.claimToken]]
          )
          yield* settle(claimed!.claimToken, Run.handedBack(claimed!.run, at(6)))
          assert.isEmpty(yield* of(mine))
          yield* claimInWorkspaceOf(one, { by: another.slice(0, 15) + (another.endsWith("0") ? "1" : "0") })
          assert.deepStrictEqual(
            (yield* of(another)).map(({ run }) => run.id),
            [other.id]
          )
        })
      )

      it.effect("fences a slow worker off: a run that was taken over keeps what its new holder writes", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const [slow] = yield* claimInWorkspaceOf(first)
          yield* settle(slow!.claimToken, Run.handedBack(slow!.run, at(6)))
          const [fresh] = yield* claimInWorkspaceOf(first)
          assert.strictEqual(fresh?.run.attempt, slow!.run.attempt + 1)
          assert.strictEqual(fresh?.run.handBacks, 1)
          assert.notStrictEqual(fresh?.claimToken, slow?.claimToken)
          assert.strictEqual((yield* settle(slow!.claimToken, succeeded(slow!.run))).size, 0)
          assert.strictEqual((yield* renew([slow!.claimToken])).size, 0)
          assert.strictEqual((yield* stored(first))?.status, "running")
        })
      )

      it.effect("lets no run expire that has begun, though it waits again when its time to live is over", () =>
        Effect.gen(function* () {
          const expiresAt = DateTime.add(yield* DateTime.now, { seconds: 2 })
          const { first: begun } = yield* givenRuns(1, { expiresAt })
          const { first: waiting } = yield* givenRuns(1, { expiresAt })
          const [claimed] = yield* claimInWorkspaceOf(begun)
          yield* settle(claimed!.claimToken, Run.handedBack(claimed!.run, at(6)))
          const expired = Effect.map(atomic(RunQueue.use((store) => store.expired({ max: 1_000 }))), (held) =>
            held.map(({ run }) => run.id)
          )
          const found = yield* Effect.repeat(expired, {
            until: (ids) => ids.includes(waiting.id),
            schedule: Schedule.spaced("50 millis"),
            times: 200
          })
          assert.notInclude(found, begun.id)
          assert.strictEqual((yield* claimInWorkspaceOf(begun))[0]?.run.attempt, 2)
        })
      )

      it.effect("does not claim an expired run and finds it expired", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1, { expiresAt: at(60) })
          const lasting = yield* givenRuns(1, { expiresAt: NEVER })
          const found = yield* atomic(RunQueue.use((store) => store.expired({ max: 1_000 })))
          assert.isTrue(has(found, first.id))
          assert.isFalse(has(found, lasting.first.id))
          assert.isEmpty(yield* claimInWorkspaceOf(first))
          assert.strictEqual((yield* claimInWorkspaceOf(lasting.first)).length, 1)
          assert.strictEqual((yield* settle(null, Run.failed(first, "expired", "too late", at(61)))).size, 1)
          assert.strictEqual((yield* stored(first))?.errorCode, "expired")
        })
      )

      it.effect("counts the queued runs of a workspace, up to a limit", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(3)
          const count = (limit: number) => RunAcceptance.use((store) => store.countQueued(first.workspaceId, limit))
          assert.strictEqual(yield* count(10), 3)
          assert.strictEqual(yield* count(2), 2)
        })
      )

      it.effect("knows which of many ids are runs that have not ended", () =>
        Effect.gen(function* () {
          const [one, two] = [yield* givenRuns(1), yield* givenRuns(1)]
          const [claimed] = yield* claimInWorkspaceOf(two.first)
          yield* settle(claimed!.claimToken, succeeded(claimed!.run))
          const ids = [one.first.id, two.first.id, anId(RunId), "no id at all"]
          assert.deepStrictEqual([...(yield* RunReader.use((store) => store.unfinishedAmong(ids)))], [one.first.id])
        })
      )

      it.effect("finds a run with its claim, whose workspace nobody has to name", () =>
        Effect.gen(function* () {
          const { first } = yield* givenRuns(1)
          const find = RunReader.use((store) => store.findHeld(first.id))
          assert.deepInclude(yield* find, { claimToken: null })
          const [claimed] = yield* claimInWorkspaceOf(first)
          assert.deepStrictEqual(yield* find, { run: claimed!.run, claimToken: claimed!.claimToken })
          yield* settle(claimed!.claimToken, succeeded(claimed!.run))
          assert.deepInclude(yield* find, { claimToken: null, run: (yield* stored(first))! })
          assert.isUndefined(yield* RunReader.use((store) => store.findHeld(anId(RunId))))
        })
      )

      for (const what of ["session", "queue"] as const) {
        it.effect(`holds a ${what} for one transaction at a time`, () =>
          Effect.gen(function* () {
            const { agent, session } = yield* givenRuns(1)
            const hold =
              what === "queue"
                ? RunAcceptance.use((store) => store.holdQueue(agent.workspaceId))
                : SessionStore.use((sessions) => Effect.asVoid(sessions.hold(agent.workspaceId, session.id)))
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
          })
        )
      }
    })
  })
