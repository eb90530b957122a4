import { atomic, Signals } from "@agent-platform/kernel"
import type { Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import { RunLog } from "../ports/RunLog.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import type { SpendGate } from "../ports/SpendGate.ts"
import type { RunsPorts } from "../Runs.ts"
import { RUNS_READY } from "../signals.ts"
import { acceptanceKeyCases } from "./acceptanceKeys.ts"
import {
  aStoredAgent,
  CurrentConditions,
  layerAcceptanceWorld,
  POISON,
  runsOf,
  triggerAll,
  triggering
} from "./acceptanceWorld.ts"
import { aRun, aSession } from "./builders.ts"
import { addRuns, claimInWorkspaceOf, stored } from "./givenRuns.ts"

const tagOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>) => {
  if (Exit.isSuccess(exit)) return "accepted"
  const failure = Cause.findErrorOption(exit.cause)
  return failure._tag === "Some" ? failure.value._tag : "died"
}

/** Waits until `count` writes have begun. */
const writesBegun = (count: number) =>
  CurrentConditions.use((conditions) =>
    Effect.gen(function* () {
      while (conditions.writes.length < count) yield* Effect.sleep("2 millis")
    })
  )

/**
 * The contract of acceptances that share a transaction: whatever happens to one of them, the others get the result that they
 * would get alone.
 */
export const acceptanceContract = <E>(
  adapter: string,
  ports: Layer.Layer<Exclude<RunsPorts, SpendGate> | Tenants, E>
) =>
  describe(`runs that are triggered at the same moment, over ${adapter},`, () => {
    suite(layerAcceptanceWorld(ports), { excludeTestServices: true })((it) => {
      acceptanceKeyCases(it)

      it.effect("are written together, each with its session and its log, and belong to their own workspaces", () =>
        Effect.gen(function* () {
          const { writes } = yield* CurrentConditions
          const tenants = [yield* aStoredAgent(), yield* aStoredAgent(), yield* aStoredAgent()]
          const before = writes.length
          const exits = yield* triggerAll(
            Array.from({ length: 12 }, (_, index) => [
              tenants[index % 3]!,
              {
                input: { index },
                tags: [`t${index}`, "é, {x}"],
                metadata: { a: `"${index}"` },
                maxCostUsd: "1.50",
                priority: index
              }
            ])
          )
          assert.deepStrictEqual(writes.slice(before), [12])
          const runs = exits.map((exit) => {
            assert.isTrue(Exit.isSuccess(exit))
            return Exit.isSuccess(exit) ? exit.value.value : undefined!
          })
          for (const [index, run] of runs.entries()) {
            assert.strictEqual(run.workspaceId, tenants[index % 3]!.caller.workspaceId)
            assert.deepStrictEqual(run.input, { index })
            assert.deepStrictEqual(yield* stored(run), run)
            const session = yield* SessionStore.use((sessions) => sessions.find(run.workspaceId, run.sessionId))
            assert.deepStrictEqual(session?.createdAt, run.createdAt)
            const log = yield* RunLog.use((logs) => logs.read(run.id, { after: 0, limit: 10 }))
            assert.deepStrictEqual(
              log.map(({ runId, seq, type }) => [runId, seq, type]),
              [[run.id, 1, "run.queued"]]
            )
          }
          assert.strictEqual(new Set(runs.map(({ sessionId }) => sessionId)).size, 12)
          for (const tenant of tenants) {
            const own = runs.filter(({ workspaceId }) => workspaceId === tenant.caller.workspaceId).map(({ id }) => id)
            assert.sameMembers(yield* runsOf(tenant), own)
            const claimed = yield* claimInWorkspaceOf(tenant.caller)
            assert.sameMembers(
              claimed.map(({ run }) => run.id),
              own
            )
          }
        })
      )

      it.effect("are refused one by one, and nothing of the refused remains", () =>
        Effect.gen(function* () {
          const conditions = yield* CurrentConditions
          const [good, stranger, capped, full, strict] = yield* Effect.all([
            aStoredAgent(),
            aStoredAgent(),
            aStoredAgent(),
            aStoredAgent(),
            aStoredAgent({ inputSchema: { type: "object", required: ["order"] } })
          ])
          conditions.capped.add(capped.caller.workspaceId)
          conditions.full.add(full.caller.workspaceId)
          const exits = yield* triggerAll([
            [good],
            [{ ...good, agent: stranger.agent }],
            [good, { recipe: "chat" }],
            [capped],
            [full],
            [strict, { input: {} }],
            [strict, { input: { order: 1 } }],
            [good]
          ])
          assert.deepStrictEqual(exits.map(tagOf), [
            "accepted",
            "AgentNotFound",
            "RecipeUnknown",
            "CapReached",
            "QueueFull",
            "InputSchemaMismatch",
            "accepted",
            "accepted"
          ])
          const counts = yield* Effect.forEach([good, stranger, capped, full, strict], (one) =>
            Effect.map(runsOf(one), (runs) => runs.length)
          )
          assert.deepStrictEqual(counts, [2, 0, 0, 0, 1])
        })
      )

      it.effect("are accepted although what is written for one of them fails, of which nothing remains", () =>
        Effect.gen(function* () {
          const [good, poison] = [yield* aStoredAgent(), yield* aStoredAgent({ name: POISON })]
          const exits = yield* triggerAll([[good], [poison], [good]])
          assert.deepStrictEqual(exits.map(tagOf), ["accepted", "died", "accepted"])
          assert.lengthOf(yield* runsOf(good), 2)
          assert.isEmpty(yield* runsOf(poison))
        })
      )

      it.effect("go without those that join a session, which are accepted by themselves", () =>
        Effect.gen(function* () {
          const { writes } = yield* CurrentConditions
          const given = yield* aStoredAgent()
          const [first] = yield* triggerAll([[given]])
          const sessionId = Exit.isSuccess(first!) ? first.value.value.sessionId : undefined
          const before = writes.length
          const exits = yield* triggerAll([[given], [given, { sessionId }], [given]])
          assert.deepStrictEqual(exits.map(tagOf), ["accepted", "accepted", "accepted"])
          assert.sameMembers(writes.slice(before), [1, 2])
          assert.lengthOf(yield* runsOf(given), 4)
          assert.isTrue(Exit.isSuccess(exits[1]!) && exits[1].value.value.sessionId === sessionId)
        })
      )

      it.effect(
        "that interrupt a session count on the places of what they cancel, and cancel nothing when refused",
        () =>
          Effect.gen(function* () {
            const conditions = yield* CurrentConditions
            const [waiting, alone] = [yield* aStoredAgent(), yield* aStoredAgent()]
            // Inserted and not triggered, since this process would then remember for a moment that the queues are far from full.
            const [queued, running] = [waiting, alone].map(({ agent }) => aRun(agent, aSession(agent)))
            yield* atomic(addRuns(queued!, running!))
            yield* claimInWorkspaceOf(alone.caller)
            conditions.full.add(waiting.caller.workspaceId).add(alone.caller.workspaceId)
            const exits = yield* triggerAll([
              [waiting, { sessionId: queued!.sessionId, ifBusy: "enqueue" }],
              [alone, { sessionId: running!.sessionId, ifBusy: "interrupt" }]
            ])
            assert.deepStrictEqual(exits.map(tagOf), ["QueueFull", "QueueFull"])
            assert.strictEqual((yield* stored(queued!))?.status, "queued")
            assert.isNull((yield* stored(running!))?.cancelRequestedAt)
            const [interrupting] = yield* triggerAll([[waiting, { sessionId: queued!.sessionId, ifBusy: "interrupt" }]])
            assert.strictEqual(tagOf(interrupting!), "accepted")
            assert.strictEqual((yield* stored(queued!))?.status, "cancelled")
          })
      )

      it.effect("are answered and announced when they are committed and not before", () =>
        Effect.gen(function* () {
          const conditions = yield* CurrentConditions
          const given = yield* aStoredAgent()
          const signals = yield* Signals
          const next = yield* signals.listen(RUNS_READY)
          const before = conditions.writes.length
          conditions.gate = yield* Deferred.make<void>()
          const announced = yield* Effect.forkChild(next(60), { startImmediately: true })
          const fibers = yield* Effect.all([triggering(given), triggering(given)])
          yield* writesBegun(before + 1)
          const settled = [announced, ...fibers].map((fiber) => fiber.pollUnsafe())
          assert.deepStrictEqual(settled, [undefined, undefined, undefined])
          yield* Deferred.succeed(conditions.gate, undefined)
          conditions.gate = undefined
          yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
          yield* Fiber.join(announced)
          assert.lengthOf(yield* runsOf(given), 2)
        })
      )

      it.effect("are accepted although one of those who ask goes away, and given up when all have", () =>
        Effect.gen(function* () {
          const conditions = yield* CurrentConditions
          const given = yield* aStoredAgent()
          for (const [leaving, accepted] of [
            [1, 2],
            [3, 0]
          ] as const) {
            const known = (yield* runsOf(given)).length
            const before = conditions.writes.length
            conditions.gate = yield* Deferred.make<void>()
            const fibers = yield* Effect.forEach([1, 2, 3], () => triggering(given))
            yield* writesBegun(before + 1)
            yield* Effect.forEach(fibers.slice(0, leaving), Fiber.interrupt)
            yield* Deferred.succeed(conditions.gate, undefined)
            conditions.gate = undefined
            const rest = yield* Effect.forEach(fibers.slice(leaving), (fiber) => Fiber.join(fiber))
            assert.lengthOf(rest, accepted)
            const found = yield* runsOf(given)
            assert.includeMembers(
              found,
              rest.map(({ value }) => value.id)
            )
            // The run of a caller that left may have been accepted together with those of the others.
            assert.isAtMost(found.length - known, accepted === 0 ? 0 : 3)
          }
        })
      )
    })
  })
