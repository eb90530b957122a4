/** The choice of keys for an agent that chats, and the fate of keys and runs after a refusal by a provider. */
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { type ProviderKey, ProviderKeyStore } from "@agent-platform/keys"
import { MemoryProviderProbe } from "@agent-platform/keys/memory"
import { startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { RecordedSpend } from "./RecordedSpend.ts"
import { json, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, KEY, layer, logOf, PLATFORM_KEY, trigger } from "./support.ts"
import { says, saysAndBreaks } from "./wire.ts"

const OTHER_KEY = "sk-another-0123456789-abcdefghijkl"
const refused = json(401, { error: { message: `Incorrect API key provided: ${KEY}`, code: "invalid_api_key" } })
const limited = (seconds?: number) =>
  json(
    429,
    { error: { message: "Slow down", code: "rate_limit_exceeded" } },
    seconds === undefined ? {} : { "retry-after": `${seconds}` }
  )
const exhausted = json(429, { error: { message: "You exceeded your quota", code: "insufficient_quota" } })
const overloaded = json(503, { error: { message: "Overloaded", code: "overloaded" } }, { "retry-after": "0" })

const given = Effect.fnUntraced(function* () {
  const caller = yield* founded()
  const agent = yield* aChatAgent(caller)
  yield* startRunWorker({ drainSeconds: 0 })
  return { caller, agent, server: yield* ScriptedServer, spend: yield* RecordedSpend }
})

/** Sets what a provider says when it is asked about a key. */
const probed = (type: "accepted" | "rejected") =>
  MemoryProviderProbe.use((probe) =>
    Effect.sync(() =>
      probe.answerWith(() =>
        Effect.succeed(type === "accepted" ? { type } : { type, providerStatus: 401, providerCode: "invalid_api_key" })
      )
    )
  )

const kept = ({ id, workspaceId }: ProviderKey) => ProviderKeyStore.use((store) => store.find(workspaceId, id))

const published = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const all = yield* database.table<{ readonly type: string; readonly data: string }>("event").all
  return all.filter(({ type }) => type === "credential.revoked").map(({ data }) => JSON.parse(data))
})

const sentKeys = (asked: ScriptedServer["Service"]["asked"]) => asked.map(({ headers }) => headers.authorization)

describe("an agent that chats", () => {
  it.live("uses the key that comes first, and notes that it worked", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      yield* aKey(caller, { priority: 200 }, OTHER_KEY)
      const first = yield* aKey(caller, { priority: 10, status: "unverified" })
      server.script(says("Hi."))
      assert.strictEqual((yield* ended(caller, (yield* trigger(caller, agent)).id)).status, "succeeded")
      assert.deepStrictEqual(sentKeys(server.asked), [`Bearer ${KEY}`])
      assert.strictEqual((yield* kept(first))?.status, "active")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("fails when its provider refuses the only key, which is invalid from then on, and reported once", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      const key = yield* aKey(caller)
      yield* probed("rejected")
      server.script(refused)
      const run = yield* trigger(caller, agent)
      const after = yield* ended(caller, run.id)
      assert.deepInclude(after, { status: "failed", errorCode: "credential_invalid" })
      assert.notInclude(JSON.stringify(after), KEY.slice(0, 12))
      assert.strictEqual((yield* kept(key))?.status, "invalid")
      const [event, ...more] = yield* published
      assert.isEmpty(more)
      assert.deepInclude(event, { key_id: key.id, run_id: run.id, provider_status: 401 })
      assert.deepInclude(spend.calls[0]?.end, { status: "error", errorCode: "invalid_api_key", sent: false })
      // The next run does not bother the provider with it.
      const asked = server.asked.length
      assert.strictEqual((yield* ended(caller, (yield* trigger(caller, agent)).id)).errorCode, "credential_invalid")
      assert.strictEqual(server.asked.length, asked)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("goes on with the next key when one is refused", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      yield* aKey(caller, { priority: 1 })
      yield* aKey(caller, { priority: 2 }, OTHER_KEY)
      yield* probed("rejected")
      server.script(refused, says("Hi."))
      assert.deepInclude(yield* ended(caller, (yield* trigger(caller, agent)).id), {
        status: "succeeded",
        message: "Hi."
      })
      assert.deepStrictEqual(sentKeys(server.asked), [`Bearer ${KEY}`, `Bearer ${OTHER_KEY}`])
      assert.strictEqual((yield* published).length, 1)
      assert.deepStrictEqual(
        spend.calls.map(({ end }) => end?.status),
        ["error", "ok"]
      )
      assert.strictEqual(new Set(spend.calls.map(({ call }) => call.id)).size, 2)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("does not take a key for dead that its provider takes when it is asked about it", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      const key = yield* aKey(caller)
      yield* probed("accepted")
      server.script(refused)
      assert.strictEqual((yield* ended(caller, (yield* trigger(caller, agent)).id)).errorCode, "provider_error")
      assert.strictEqual((yield* kept(key))?.status, "active")
      assert.isEmpty(yield* published)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("goes on with the next key when one is limited, which goes last until then", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      const key = yield* aKey(caller, { priority: 1 })
      yield* aKey(caller, { priority: 2 }, OTHER_KEY)
      server.script(limited(120), says("Hi."), says("Again."))
      yield* ended(caller, (yield* trigger(caller, agent)).id)
      const after = yield* kept(key)
      assert.deepInclude(after, { status: "rate_limited" })
      const seconds = (after!.limitedUntil!.epochMilliseconds - (yield* DateTime.now).epochMilliseconds) / 1000
      assert.isTrue(seconds > 100 && seconds <= 120)
      yield* ended(caller, (yield* trigger(caller, agent)).id)
      assert.deepStrictEqual(sentKeys(server.asked), [`Bearer ${KEY}`, `Bearer ${OTHER_KEY}`, `Bearer ${OTHER_KEY}`])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("waits for as long as its provider asks when every key is limited, and then asks again", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      yield* aKey(caller)
      server.script(limited(1), says("Hi."))
      const run = yield* trigger(caller, agent)
      assert.strictEqual((yield* ended(caller, run.id)).status, "succeeded")
      const [first, second] = (yield* logOf(caller, run.id)).filter(({ type }) => type === "llm.request")
      assert.isAtLeast(second!.createdAt.epochMilliseconds - first!.createdAt.epochMilliseconds, 950)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("gives up after three rounds in which every key was limited", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      yield* aKey(caller)
      server.script(limited(0))
      assert.strictEqual((yield* ended(caller, (yield* trigger(caller, agent)).id)).errorCode, "provider_rate_limited")
      assert.strictEqual(server.asked.length, 3)
      assert.strictEqual(spend.calls.filter(({ settlements }) => settlements === 1).length, 3)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("does not ask again where nothing is left to be spent", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      const key = yield* aKey(caller)
      server.script(exhausted)
      assert.strictEqual((yield* ended(caller, (yield* trigger(caller, agent)).id)).errorCode, "provider_rate_limited")
      assert.strictEqual(server.asked.length, 1)
      assert.strictEqual((yield* kept(key))?.status, "quota_exhausted")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("asks a provider that is overloaded or breaks off again, each time as a call of its own", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      yield* aKey(caller)
      server.script(overloaded, saysAndBreaks("Hal"), says("Hi."))
      const run = yield* trigger(caller, agent)
      assert.deepInclude(yield* ended(caller, run.id), { status: "succeeded", message: "Hi." })
      const ends = spend.calls.map(({ end }) => [end?.status, end?.sent, end?.usage === undefined])
      assert.deepStrictEqual(ends, [
        ["error", false, true],
        ["error", true, true],
        ["ok", true, false]
      ])
      // The pieces of the half answer have another request id than the answer that counts.
      const log = yield* logOf(caller, run.id)
      const whole = log.find(({ type }) => type === "message.completed")
      assert.strictEqual(whole?.data["request_id"], spend.calls[2]?.call.id)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("gives up after three tries at a provider that stays overloaded", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      yield* aKey(caller)
      server.script(overloaded)
      const after = yield* ended(caller, (yield* trigger(caller, agent)).id)
      assert.deepInclude(after, { status: "failed", errorCode: "provider_error" })
      assert.match(after.error ?? "", /answered 503 overloaded: Overloaded/)
      assert.strictEqual(server.asked.length, 3)
      assert.strictEqual(spend.calls.length, 3)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("does not repeat a request that its provider takes for wrong, and says what is wrong with it", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      yield* aKey(caller)
      server.script(json(404, { error: { message: "The model `small` does not exist", code: "model_not_found" } }))
      const after = yield* ended(caller, (yield* trigger(caller, agent)).id)
      assert.deepInclude(after, { status: "failed", errorCode: "provider_error" })
      assert.include(after.error, "answered 404 model_not_found: The model `small` does not exist")
      assert.strictEqual(server.asked.length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("keeps out of its run's error whatever its provider repeats of the key", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      yield* aKey(caller)
      server.script(json(400, { error: { message: `Bad: ${KEY.slice(4, 20)}`, code: `bad_${KEY.slice(3, 20)}` } }))
      const run = yield* trigger(caller, agent)
      const after = yield* ended(caller, run.id)
      assert.strictEqual(after.error, "openai_compatible answered 400")
      assert.notInclude(JSON.stringify(yield* logOf(caller, run.id)), KEY.slice(6, 16))
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is served with the platform's key only in a workspace that allows it", () =>
    Effect.gen(function* () {
      const { server } = yield* given()
      server.script(json(400, { error: { message: "no", code: "no" } }))
      for (const allowPlatformKeys of [false, true]) {
        const caller = yield* founded({ allowPlatformKeys })
        const agent = yield* aChatAgent(caller, { model: "openai/gpt-4o" })
        const after = yield* ended(caller, (yield* trigger(caller, agent)).id)
        assert.strictEqual(after.errorCode, allowPlatformKeys ? "provider_error" : "provider_key_missing")
      }
      assert.deepStrictEqual(sentKeys(server.asked), [`Bearer ${PLATFORM_KEY}`])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
