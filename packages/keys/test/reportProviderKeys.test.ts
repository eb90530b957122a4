/** The reports of runs about keys. Spec: Events 5. */
import { atomic, bodyOf } from "@agent-platform/kernel"
import { type ProviderKey, ProviderKeys } from "@agent-platform/keys"
import { MemoryProviderProbe } from "@agent-platform/keys/memory"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { GATHER_SECONDS } from "../src/makeGathering.ts"
import { answer, founded, KEY, kept, memory, reported, stored } from "./providerKeySupport.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")
const RUN = {
  runId: "01a1fd56-58fb-746b-bcf2-262fc1c65f60",
  sessionId: "01a1fd56-58fb-746b-bcf2-262fc1c65f61",
  agent: { id: "01a1fd56-58fb-746b-bcf2-262fc1c65f62", name: "Greeter" }
}
const REFUSED = { type: "rejected", providerStatus: 401, providerCode: "invalid_api_key" } as const

const reportRejected = (key: ProviderKey, providerCode: string | null = "invalid_api_key") =>
  ProviderKeys.use((keys) => keys.reportKeyRejected({ ...RUN, key, providerStatus: 401, providerCode }))

/** Runs that find something out at the same moment. */
const twentyTimes = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: 20 }, () => effect),
    { concurrency: "unbounded" }
  )

describe("a run that was refused", () => {
  it.effect("makes the key invalid once it is refused again, with an event, a notice and an entry", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const caller = yield* founded()
      const key = yield* stored(caller)
      yield* answer(REFUSED)
      assert.isTrue(yield* reportRejected(key))
      const after = yield* kept(key)
      assert.strictEqual(after.status, "invalid")
      assert.deepStrictEqual(after.lastError, {
        code: "rejected",
        providerStatus: 401,
        providerCode: "invalid_api_key",
        at: NOW
      })
      const { activity, events, notices } = yield* reported
      const [event] = events.map((one) => JSON.parse(bodyOf(one)))
      assert.strictEqual(event.type, "credential.revoked")
      assert.deepStrictEqual(event.data, {
        key_id: key.id,
        provider: "openai",
        name: key.name,
        hint: key.hint,
        workspace_id: caller.workspaceId,
        run_id: RUN.runId,
        session_id: RUN.sessionId,
        reason: "rejected_by_provider",
        provider_status: 401,
        provider_code: "invalid_api_key",
        detected_at: "2026-11-21T12:00:00.250Z"
      })
      assert.deepStrictEqual(
        activity.map(({ action, actor }) => `${action} ${actor.type}`),
        ["byok_key.invalidated agent"]
      )
      assert.deepStrictEqual(
        notices.map(({ type, workspaceId }) => [type, workspaceId]),
        [["credential.revoked", caller.workspaceId]]
      )
      assert.notInclude(JSON.stringify([activity, events, notices]), KEY.slice(4, -4))
    }).pipe(Effect.provide(memory))
  )

  it.effect("is one of twenty at once, and only one of them is reported", () =>
    Effect.gen(function* () {
      const key = yield* stored(yield* founded())
      yield* answer(REFUSED)
      assert.deepStrictEqual(
        yield* twentyTimes(reportRejected(key)),
        Array.from({ length: 20 }, () => true)
      )
      const { activity, events, notices } = yield* reported
      assert.deepStrictEqual([activity.length, events.length, notices.length], [1, 1, 1])
    }).pipe(Effect.provide(memory))
  )

  it.effect("changes nothing but the last error where the provider does not refuse again", () =>
    Effect.gen(function* () {
      const outcomes = [
        { type: "accepted" },
        { type: "unreachable", providerStatus: null, providerCode: null },
        { type: "unsupported", providerStatus: 404, providerCode: null },
        { type: "rate_limited", providerStatus: 429, providerCode: null, retryAfterSeconds: 5 },
        { type: "quota_exhausted", providerStatus: 429, providerCode: null }
      ] as const
      for (const outcome of outcomes) {
        const key = yield* stored(yield* founded())
        yield* answer(outcome)
        assert.isFalse(yield* reportRejected(key))
        const { lastError, ...after } = yield* kept(key)
        assert.deepStrictEqual({ ...after, lastError: null }, key)
        assert.strictEqual(lastError?.code, "rejected")
      }
      const { activity, events, notices } = yield* reported
      assert.isEmpty([...activity, ...events, ...notices])
    }).pipe(Effect.provide(memory))
  )

  it.effect("is reported again when the key worked in between", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const caller = yield* founded()
      const key = yield* stored(caller)
      yield* answer(REFUSED)
      yield* reportRejected(key)
      yield* answer({ type: "accepted" })
      const recovered = yield* keys.validateProviderKey({ caller, id: key.id })
      yield* answer(REFUSED)
      yield* reportRejected(recovered)
      assert.strictEqual((yield* reported).events.length, 2)
    }).pipe(Effect.provide(memory))
  )

  it.effect("asks nobody about a value that is not there any more, and says nothing of the one that is", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const probe = yield* MemoryProviderProbe
      const caller = yield* founded()
      const key = yield* stored(caller)
      yield* answer(REFUSED)
      assert.isFalse(yield* reportRejected({ ...key, fingerprint: "f".repeat(16) }))
      yield* keys.revokeProviderKey({ caller, id: key.id })
      assert.isTrue(yield* reportRejected(key))
      assert.isEmpty(probe.questions)
      assert.isEmpty((yield* reported).events)
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves no part of the key in records and reports, though the provider repeated it", () =>
    Effect.gen(function* () {
      const key = yield* stored(yield* founded())
      yield* answer(REFUSED)
      yield* reportRejected(key, KEY.slice(3, 20))
      assert.isNull((yield* kept(key)).lastError?.providerCode)
      assert.notInclude(JSON.stringify(yield* reported), KEY.slice(3, 20))
    }).pipe(Effect.provide(memory))
  )

  it.effect("reports nothing that is undone", () =>
    Effect.gen(function* () {
      const key = yield* stored(yield* founded())
      yield* answer(REFUSED)
      yield* Effect.exit(atomic(Effect.andThen(reportRejected(key), Effect.fail("undone"))))
      assert.strictEqual((yield* kept(key)).status, "active")
      assert.isEmpty((yield* reported).events)
    }).pipe(Effect.provide(memory))
  )
})

describe("a run that was limited", () => {
  const reportLimited = (key: ProviderKey, until?: DateTime.Utc) =>
    ProviderKeys.use((keys) =>
      keys.reportKeyLimited({ key, limit: "rate_limited", providerStatus: 429, providerCode: null, until })
    )

  it.effect("has the key limited until the provider takes it again", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const key = yield* stored(yield* founded())
      yield* reportLimited(key, DateTime.add(NOW, { seconds: 30 }))
      assert.deepInclude(yield* kept(key), {
        status: "rate_limited",
        limitedUntil: DateTime.add(NOW, { seconds: 30 })
      })
      assert.isEmpty((yield* reported).notices)
    }).pipe(Effect.provide(memory))
  )

  it.effect("limits no other value, and no key that is invalid", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      const [renewed, invalid] = [yield* stored(caller), yield* stored(caller, { status: "invalid" })]
      yield* reportLimited({ ...renewed, fingerprint: "f".repeat(16) })
      yield* reportLimited(invalid)
      assert.deepStrictEqual([yield* kept(renewed), yield* kept(invalid)], [renewed, invalid])
    }).pipe(Effect.provide(memory))
  )
})

describe("a run that was served", () => {
  const reportWorked = (key: ProviderKey) => ProviderKeys.use((keys) => keys.reportKeyWorked({ key }))

  it.effect("ends what limited the key, and makes one active that nobody had asked about", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      for (const override of [
        { status: "rate_limited", limitedUntil: NOW },
        { status: "unverified" },
        { lastError: { code: "unreachable", providerStatus: null, providerCode: null, at: NOW } }
      ] as const) {
        const key = yield* stored(caller, override)
        yield* reportWorked(key)
        assert.deepInclude(yield* kept(key), { status: "active", limitedUntil: null, lastError: null })
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("does not restore a key that was found out meanwhile", () =>
    Effect.gen(function* () {
      const key = yield* stored(yield* founded(), { status: "unverified" })
      yield* answer(REFUSED)
      yield* reportRejected(key)
      yield* reportWorked(key)
      assert.strictEqual((yield* kept(key)).status, "invalid")
    }).pipe(Effect.provide(memory))
  )

  it.effect("has its use noted, beside it and once a minute", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const key = yield* stored(yield* founded())
      const used = Effect.map(kept(key), ({ lastUsedAt }) => lastUsedAt)
      const settled = TestClock.adjust(`${GATHER_SECONDS} seconds`)
      yield* twentyTimes(reportWorked(key))
      yield* settled
      assert.deepStrictEqual(yield* used, NOW)
      yield* TestClock.adjust("25 seconds")
      yield* reportWorked(yield* kept(key))
      yield* settled
      assert.deepStrictEqual(yield* used, NOW)
      yield* TestClock.adjust("25 seconds")
      yield* reportWorked(yield* kept(key))
      yield* settled
      assert.deepStrictEqual(yield* used, DateTime.add(NOW, { minutes: 1 }))
    }).pipe(Effect.provide(memory))
  )
})
