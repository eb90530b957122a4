import { type IdempotencyRequest, Uuid } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, type Vitest } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { type AcceptanceWorld, aStoredAgent, CurrentConditions, runsOf, triggerAll } from "./acceptanceWorld.ts"

const aKey = (override: Partial<IdempotencyRequest> = {}): IdempotencyRequest => ({
  scope: "a workspace",
  route: "POST /api/v1/runs/",
  key: anId(Uuid),
  bodyHash: "a".repeat(64),
  ...override
})

/** Cases about batched acceptances with idempotency keys, also when a response is lost. */
export const acceptanceKeyCases = (it: Vitest.MethodsNonLive<AcceptanceWorld>) => {
  it.effect("create one run for each idempotency key, and answer each repetition with it", () =>
    Effect.gen(function* () {
      const { writes } = yield* CurrentConditions
      const given = yield* aStoredAgent()
      const keys = Array.from({ length: 6 }, () => aKey())
      const before = writes.length
      const first = yield* triggerAll(keys.map((idempotency) => [given, { idempotency }]))
      assert.deepStrictEqual(writes.slice(before), [6])
      const again = yield* triggerAll([[given], ...keys.map((idempotency) => [given, { idempotency }] as const)])
      const ids = first.map((exit) => (Exit.isSuccess(exit) ? exit.value.value.id : undefined))
      assert.strictEqual(new Set(ids).size, 6)
      assert.isTrue(first.every((exit) => Exit.isSuccess(exit) && !exit.value.replayed))
      assert.isTrue(again.slice(1).every((exit) => Exit.isSuccess(exit) && exit.value.replayed))
      assert.deepStrictEqual(
        again.slice(1).map((exit) => (Exit.isSuccess(exit) ? exit.value.value.id : undefined)),
        ids
      )
      assert.isTrue(Exit.isSuccess(again[0]!) && !again[0].value.replayed)
      assert.lengthOf(yield* runsOf(given), 7)
    })
  )

  it.effect("create one run for one idempotency key, however many come with it at once", () =>
    Effect.gen(function* () {
      const given = yield* aStoredAgent()
      const idempotency = aKey()
      const exits = yield* triggerAll([[given], ...Array.from({ length: 8 }, () => [given, { idempotency }] as const)])
      const answers = new Set<string>()
      for (const exit of exits.slice(1)) {
        if (Exit.isSuccess(exit)) answers.add(exit.value.value.id)
        else assert.include(String(Cause.squash(exit.cause)), "IdempotencyInProgress")
      }
      assert.strictEqual(answers.size, 1)
      assert.strictEqual(exits.slice(1).filter((exit) => Exit.isSuccess(exit) && !exit.value.replayed).length, 1)
      assert.lengthOf(yield* runsOf(given), 2)
    })
  )

  it.effect("refuse a key that came before with another body, and no other", () =>
    Effect.gen(function* () {
      const given = yield* aStoredAgent()
      const idempotency = aKey()
      yield* triggerAll([[given, { idempotency }]])
      const [good, reused] = yield* triggerAll([
        [given, { idempotency: aKey() }],
        [given, { idempotency: { ...idempotency, bodyHash: "b".repeat(64) } }]
      ])
      assert.isTrue(Exit.isSuccess(good!))
      assert.isTrue(Exit.isFailure(reused!) && String(Cause.squash(reused.cause)).includes("IdempotencyKeyReused"))
      assert.lengthOf(yield* runsOf(given), 2)
    })
  )

  it.effect("leave a key free whose run was refused", () =>
    Effect.gen(function* () {
      const [given, stranger] = [yield* aStoredAgent(), yield* aStoredAgent()]
      const idempotency = aKey()
      const refused = yield* triggerAll([[{ ...given, agent: stranger.agent }, { idempotency }], [given]])
      assert.deepStrictEqual(refused.map(Exit.isSuccess), [false, true])
      const [accepted] = yield* triggerAll([[given, { idempotency: { ...idempotency, bodyHash: "b".repeat(64) } }]])
      assert.isTrue(Exit.isSuccess(accepted!) && !accepted.value.replayed)
    })
  )

  it.effect("are accepted once each although the answer of their commit is lost", () =>
    Effect.gen(function* () {
      const conditions = yield* CurrentConditions
      const given = yield* aStoredAgent()
      conditions.losesAnswer = true
      const exits = yield* triggerAll([[given], [given, { idempotency: aKey() }], [given]])
      assert.isFalse(conditions.losesAnswer)
      assert.isTrue(exits.every((exit) => Exit.isSuccess(exit) && !exit.value.replayed))
      assert.sameMembers(
        exits.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value.value.id] : [])),
        [...(yield* runsOf(given))]
      )
    })
  )
}
