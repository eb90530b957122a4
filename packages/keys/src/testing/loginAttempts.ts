import { atomic, OrganizationId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { type DateTime, Effect } from "effect"
import { LoginStore } from "../ports/LoginStore.ts"
import { aHash } from "./builders.ts"
import { aLoginAttempt } from "./loginBuilders.ts"
import { at, type Cases } from "./storedLogins.ts"

/** Cases about logins that are under way. */
export const loginAttemptCases: Cases = (it) => {
  const stored = Effect.fnUntraced(function* (override: Parameters<typeof aLoginAttempt>[0] = {}) {
    const store = yield* LoginStore
    const [hash, attempt] = [aHash(), aLoginAttempt(override)]
    yield* atomic(store.insertAttempt(hash, attempt))
    return { hash, attempt }
  })
  const take = (hash: string) => LoginStore.use((store) => atomic(store.takeAttempt(hash)))

  it.effect("gives an attempt back exactly as it was inserted, once", () =>
    Effect.gen(function* () {
      const { attempt, hash } = yield* stored({
        organizationId: anId(OrganizationId),
        returnTo: "https://dashboard.example.com/é?a=%20&b='\"",
        clientNetwork: "2001:db8:0:7::/64",
        expiresAt: at(0.987)
      })
      const other = yield* stored()
      assert.isUndefined(yield* take(aHash()))
      assert.deepStrictEqual(yield* take(hash), attempt)
      assert.isUndefined(yield* take(hash))
      assert.deepStrictEqual(yield* take(other.hash), other.attempt)
    })
  )

  it.effect("gives an attempt to one of twenty who come at once", () =>
    Effect.gen(function* () {
      const { attempt, hash } = yield* stored()
      const taken = yield* Effect.forEach(Array.from({ length: 20 }), () => take(hash), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        taken.filter((one) => one !== undefined),
        [attempt]
      )
    })
  )

  it.effect("keeps an attempt that was taken in a transaction which fails", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const { attempt, hash } = yield* stored()
      yield* Effect.flip(atomic(Effect.andThen(store.takeAttempt(hash), Effect.fail("no"))))
      assert.deepStrictEqual(yield* take(hash), attempt)
    })
  )

  it.effect("counts the attempts of one network that have not expired, and knows when the first of them does", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const [mine, other] = [aHash(), aHash()]
      const count = (now: DateTime.Utc) => atomic(store.holdAttempts(mine, now))
      assert.deepStrictEqual(yield* count(at(0)), { count: 0, firstExpiresAt: null })
      yield* stored({ clientNetwork: other })
      const first = yield* stored({ clientNetwork: mine, expiresAt: at(600) })
      yield* stored({ clientNetwork: mine, expiresAt: at(700) })
      assert.deepStrictEqual(yield* count(at(599)), { count: 2, firstExpiresAt: at(600) })
      assert.deepStrictEqual(yield* count(at(600)), { count: 1, firstExpiresAt: at(700) })
      yield* take(first.hash)
      assert.deepStrictEqual(yield* count(at(0)), { count: 1, firstExpiresAt: at(700) })
    })
  )

  it.effect("lets five of twenty who begin at once from one network begin, where five is what they may", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const clientNetwork = aHash()
      const begin = Effect.gen(function* () {
        const { count } = yield* store.holdAttempts(clientNetwork, at(0))
        if (count < 5) yield* store.insertAttempt(aHash(), aLoginAttempt({ clientNetwork }))
      })
      yield* Effect.forEach(Array.from({ length: 20 }), () => atomic(begin), { concurrency: "unbounded" })
      assert.strictEqual((yield* atomic(store.holdAttempts(clientNetwork, at(0)))).count, 5)
    })
  )

  it.effect("prunes the attempts whose time is over, and no other", () =>
    Effect.gen(function* () {
      const store = yield* LoginStore
      const [over, open] = [yield* stored({ expiresAt: at(600) }), yield* stored({ expiresAt: at(600.001) })]
      yield* stored({ expiresAt: at(600) })
      assert.strictEqual((yield* atomic(store.prune(at(600), 1))).attempts, 1)
      assert.isAtLeast((yield* atomic(store.prune(at(600), 100))).attempts, 1)
      assert.isUndefined(yield* take(over.hash))
      assert.deepStrictEqual(yield* take(open.hash), open.attempt)
    })
  )
}
