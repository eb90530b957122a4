import { Transaction } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { EgressGuard, RESOLVE_MILLIS_MAX } from "../src/index.ts"
import { admit, aResolver } from "./support.ts"

const { asked, resolver } = aResolver({
  "public.example": [["1.1.1.1", "2606:4700:4700::1111"]],
  "private.example": [["10.0.0.1"]],
  "mixed.example": [["1.1.1.1", "192.168.0.1"]],
  "mixed6.example": [["1.1.1.1", "fd00::1"]],
  "loopback.example": [["127.0.0.1"]],
  "mapped.example": [["::ffff:127.0.0.1"]],
  "nonsense.example": [["not an address"]],
  "empty.example": [[]]
})

const strict = EgressGuard.layer({ allowLoopback: false, resolver })
const local = EgressGuard.layer({ allowLoopback: true, resolver })

const refusal = (url: string) =>
  Effect.map(Effect.flip(admit(url)), (refused) => {
    assert.strictEqual(refused._tag, "UrlNotPublic")
    return refused.detail
  })

// Spec: Webhook endpoint 1.
describe("admit", () => {
  it.effect("admits a name of which every address is public", () =>
    admit("https://public.example/hook").pipe(Effect.provide(strict))
  )

  it.effect("refuses a name when a single address of it is not public", () =>
    Effect.gen(function* () {
      for (const host of ["private", "mixed", "mixed6", "loopback", "mapped", "nonsense"]) {
        assert.strictEqual(yield* refusal(`https://${host}.example/`), "The host is not at public addresses only")
      }
    }).pipe(Effect.provide(strict))
  )

  it.effect("refuses a name that does not resolve", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal("https://unknown.example/"), "The host does not resolve")
      assert.strictEqual(yield* refusal("https://empty.example/"), "The host does not resolve")
    }).pipe(Effect.provide(strict))
  )

  it.effect("refuses after five seconds a name whose servers keep silent", () =>
    Effect.gen(function* () {
      const question = yield* Deferred.make<void>()
      const mute = EgressGuard.layer({
        allowLoopback: false,
        resolver: () => Effect.andThen(Deferred.succeed(question, undefined), Effect.never)
      })
      const waiting = yield* Effect.forkChild(refusal("https://mute.example/").pipe(Effect.provide(mute)))
      yield* Deferred.await(question)
      yield* TestClock.adjust(RESOLVE_MILLIS_MAX - 1)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(waiting), "The host does not resolve")
    })
  )

  it.effect("asks no server about an address or about localhost", () =>
    Effect.gen(function* () {
      const before = asked().length
      yield* admit("https://1.1.1.1/").pipe(Effect.provide(strict))
      yield* refusal("https://localhost/").pipe(Effect.provide(strict))
      yield* refusal("https://127.0.0.1/").pipe(Effect.provide(strict))
      yield* admit("http://localhost:3000/").pipe(Effect.provide(local))
      yield* admit("http://[::1]:3000/").pipe(Effect.provide(local))
      assert.strictEqual(asked().length, before)
    })
  )

  it.effect("gets no looser for other hosts when the loopback is allowed", () =>
    Effect.gen(function* () {
      yield* refusal("https://loopback.example/")
      yield* refusal("https://private.example/")
      yield* refusal("http://public.example/")
      yield* refusal("https://10.0.0.1/")
    }).pipe(Effect.provide(local))
  )

  it.effect("shows strangers nothing of the addresses it found", () =>
    Effect.gen(function* () {
      assert.notInclude(yield* refusal("https://private.example/?token=s3cret"), "10.0.0.1")
      assert.notInclude(yield* refusal("https://private.example/?token=s3cret"), "s3cret")
    }).pipe(Effect.provide(strict))
  )

  it.effect("dies inside a transaction", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        admit("https://1.1.1.1/").pipe(Effect.provideService(Transaction, { id: "open" }))
      )
      assert.isTrue(Exit.hasDies(exit))
    }).pipe(Effect.provide(strict))
  )
})
