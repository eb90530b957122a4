import { JobSource, type OrganizationCaller } from "@agent-platform/kernel"
import { aCaller } from "@agent-platform/kernel/testing"
import {
  type Endpoint,
  type Replay,
  ReplayStore,
  replayRange,
  startReplayWorker,
  Webhooks
} from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { REPLAY_WAITING_MAX } from "../src/Replay.ts"
import { continueReplay } from "../src/use-cases/continueReplay.ts"
import type { StartReplay } from "../src/use-cases/startReplay.ts"
import { actionsOf, callFor, DEAD, deliveryAt, now } from "./lifecycleSupport.ts"
import { callerOf, deliveriesTo, memory, storedEndpoint } from "./support.ts"

const START = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const at = (seconds: number) => DateTime.add(START, { seconds })
const DELIVERED = { state: "delivered", nextAttemptAt: null, deliveredAt: START } as const

const start = (endpoint: Endpoint, override: Partial<StartReplay> = {}) =>
  Webhooks.use((webhooks) =>
    webhooks.startReplay({
      ...callFor(callerOf(endpoint), endpoint),
      since: START,
      until: at(60),
      selection: "dead",
      idempotency: undefined,
      ...override
    })
  )

const read = (replay: Replay, caller: OrganizationCaller = aCaller({ organizationId: replay.organizationId })) =>
  Webhooks.use((webhooks) => webhooks.readReplay({ caller, replayId: replay.id }))

const takeJob = Effect.gen(function* () {
  const payload = yield* Deferred.make<(typeof replayRange)["payload"]["Type"]>()
  const work = JobSource.use((source) =>
    source.work(replayRange, (job) => Effect.as(Deferred.succeed(payload, job.payload), "done"))
  )
  return yield* Effect.raceFirst(Deferred.await(payload), work)
})

/** As many dead deliveries of events that follow each other by a second. */
const storeDead = (endpoint: Endpoint, count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, index) => deliveryAt(endpoint, at(index), DEAD))

describe("starting a replay of a range", () => {
  it.effect("answers a replay that waits for a worker, and is in the activity feed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at(3600).epochMilliseconds)
      const endpoint = yield* storedEndpoint()
      const { value } = yield* start(endpoint, { until: undefined, selection: "all" })
      assert.deepInclude(value, {
        endpointId: endpoint.id,
        state: "pending",
        selection: "all",
        since: START,
        until: at(3600),
        replayedCount: 0
      })
      assert.deepStrictEqual(yield* read(value), value)
      assert.deepStrictEqual(yield* takeJob, {
        organization_id: endpoint.organizationId,
        replay_id: value.id
      })
      assert.deepStrictEqual(yield* actionsOf(endpoint.organizationId), ["webhook_endpoint.replayed"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses unless the endpoint is active, and knows nothing of another organization's", () =>
    Effect.gen(function* () {
      for (const status of ["disabled", "deleted"] as const) {
        const refused = yield* Effect.flip(start(yield* storedEndpoint({ status })))
        assert.deepInclude(refused, { _tag: "EndpointInactive", status })
      }
      const foreign = yield* storedEndpoint()
      assert.strictEqual((yield* Effect.flip(start(foreign, { caller: aCaller() })))._tag, "EndpointNotFound")
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses the sixth that has not ended, however many are started at once", () =>
    Effect.gen(function* () {
      const [endpoint, other] = [yield* storedEndpoint(), yield* storedEndpoint()]
      const results = yield* Effect.forEach(Array.from({ length: 9 }), () => Effect.result(start(endpoint)), {
        concurrency: "unbounded"
      })
      const refused = results.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
      assert.strictEqual(refused.length, 4)
      for (const failure of refused) assert.deepInclude(failure, { _tag: "TooManyReplays", limit: 5 })
      yield* start(other)
      yield* continueReplay(yield* takeJob)
      yield* start(endpoint)
    }).pipe(Effect.provide(memory))
  )

  it.effect("starts one for one idempotency key", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const idempotency = { scope: "o", route: "replay", key: "k", bodyHash: "a".repeat(64) }
      const first = yield* start(endpoint, { idempotency })
      assert.deepStrictEqual(yield* start(endpoint, { idempotency }), { value: first.value, replayed: true })
      assert.strictEqual(yield* ReplayStore.use((store) => store.countUnfinished(endpoint.id)), 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is unknown to other organizations", () =>
    Effect.gen(function* () {
      const { value } = yield* start(yield* storedEndpoint())
      assert.strictEqual((yield* Effect.flip(read(value, aCaller())))._tag, "ReplayNotFound")
    }).pipe(Effect.provide(memory))
  )
})

describe("a replay of a range", () => {
  it.effect("makes the dead deliveries of the range due, its beginning included and its end not", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const before = yield* deliveryAt(endpoint, DateTime.subtract(START, { milliseconds: 1 }), DEAD)
      const inside = [yield* deliveryAt(endpoint, START, DEAD), yield* deliveryAt(endpoint, at(59), DEAD)]
      const after = yield* deliveryAt(endpoint, at(60), DEAD)
      const delivered = yield* deliveryAt(endpoint, at(30), DELIVERED)
      const { value } = yield* start(endpoint)
      assert.strictEqual(yield* continueReplay(yield* takeJob), "over")
      for (const delivery of inside) assert.deepInclude(yield* now(delivery), { state: "pending", failures: 0 })
      for (const delivery of [before, after, delivered]) assert.deepStrictEqual(yield* now(delivery), delivery)
      assert.deepInclude(yield* read(value), { state: "completed", replayedCount: 2 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("makes all deliveries of the range due when all are asked for", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const dead = yield* deliveryAt(endpoint, at(1), DEAD)
      const delivered = yield* deliveryAt(endpoint, at(2), DELIVERED)
      const { value } = yield* start(endpoint, { selection: "all" })
      yield* continueReplay(yield* takeJob)
      for (const delivery of [dead, delivered]) assert.deepInclude(yield* now(delivery), { state: "pending" })
      assert.deepInclude(yield* read(value), { state: "completed", replayedCount: 2 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("lets a bounded number of deliveries wait, and goes on when they are sent", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at(3600).epochMilliseconds)
      const endpoint = yield* storedEndpoint()
      // Live traffic that waits counts, too.
      const live = yield* Effect.forEach(Array.from({ length: 10 }), () =>
        deliveryAt(endpoint, at(3000), { nextAttemptAt: at(3000) })
      )
      const dead = yield* storeDead(endpoint, REPLAY_WAITING_MAX + 20)
      const { value } = yield* start(endpoint, { until: at(600) })
      const job = yield* takeJob
      assert.strictEqual(yield* continueReplay(job), "more")
      assert.deepInclude(yield* read(value), {
        state: "running",
        replayedCount: 90,
        position: dead[89]?.eventId ?? null
      })
      assert.strictEqual(yield* continueReplay(job), "wait")
      assert.deepInclude(yield* read(value), { state: "running", replayedCount: 90 })
      // The clock of the endpoint's schedule: what waited is sent, that is, made dead here.
      yield* Webhooks.use((webhooks) =>
        webhooks.updateEndpoint({ ...callFor(callerOf(endpoint), endpoint), change: { status: "disabled" } })
      )
      yield* Webhooks.use((webhooks) => webhooks.enableEndpoint(callFor(callerOf(endpoint), endpoint)))
      assert.strictEqual(yield* continueReplay(job), "over")
      assert.deepInclude(yield* read(value), { state: "completed", replayedCount: dead.length })
      assert.strictEqual(live.length, 10)
    }).pipe(Effect.provide(memory))
  )

  it.effect.each([
    { status: "disabled", reason: "endpoint_disabled" },
    { status: "deleted", reason: "endpoint_deleted" }
  ] as const)("stops when its endpoint is $status", ({ reason, status }) =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const [dead] = yield* storeDead(endpoint, 1)
      const { value } = yield* start(endpoint)
      const call = callFor(callerOf(endpoint), endpoint)
      yield* Webhooks.use((webhooks) =>
        status === "deleted" ? webhooks.deleteEndpoint(call) : webhooks.updateEndpoint({ ...call, change: { status } })
      )
      const job = yield* takeJob
      assert.strictEqual(yield* continueReplay(job), "over")
      assert.deepInclude(yield* read(value), { state: "stopped", stateReason: reason, replayedCount: 0 })
      if (dead !== undefined) assert.deepStrictEqual(yield* now(dead), dead)
    }).pipe(Effect.provide(memory))
  )

  it.effect("makes no delivery due twice when two do its job at once", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const dead = yield* storeDead(endpoint, 30)
      const { value } = yield* start(endpoint)
      const job = yield* takeJob
      const steps = yield* Effect.all([continueReplay(job), continueReplay(job)], { concurrency: "unbounded" })
      assert.deepStrictEqual(steps, ["over", "over"])
      assert.deepInclude(yield* read(value), { state: "completed", replayedCount: dead.length })
    }).pipe(Effect.provide(memory))
  )
})

describe("the worker for replays", () => {
  it.live("gives others their turn while what it made due is not sent", () =>
    Effect.gen(function* () {
      const [slow, quick] = [yield* storedEndpoint(), yield* storedEndpoint()]
      yield* storeDead(slow, REPLAY_WAITING_MAX + 30)
      yield* storeDead(quick, 5)
      const first = yield* start(slow, { until: at(600) })
      const second = yield* start(quick)
      yield* startReplayWorker({ replaysMax: 1, lookSeconds: 0.01, looksMax: 2, pollSeconds: 0.01 })
      while ((yield* read(second.value)).state !== "completed") yield* Effect.sleep("5 millis")
      assert.deepInclude(yield* read(first.value), { state: "running", replayedCount: REPLAY_WAITING_MAX })
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.live("finishes a replay, and hands it back where it was when it is to stop", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint()
      const dead = yield* storeDead(endpoint, REPLAY_WAITING_MAX + 30)
      const { value } = yield* start(endpoint, { until: at(600) })
      const until = Effect.fnUntraced(function* (wanted: (replay: Replay) => boolean) {
        let found = yield* read(value)
        while (!wanted(found)) {
          yield* Effect.sleep("5 millis")
          found = yield* read(value)
        }
        return found
      })
      const paused = yield* Effect.scoped(
        Effect.andThen(
          startReplayWorker({ lookSeconds: 0.01, pollSeconds: 0.1 }),
          until(({ replayedCount }) => replayedCount === REPLAY_WAITING_MAX)
        )
      )
      assert.deepInclude(paused, { state: "running", position: dead[REPLAY_WAITING_MAX - 1]?.eventId ?? null })
      yield* Webhooks.use((webhooks) =>
        webhooks.updateEndpoint({ ...callFor(callerOf(endpoint), endpoint), change: { status: "disabled" } })
      )
      yield* Webhooks.use((webhooks) => webhooks.enableEndpoint(callFor(callerOf(endpoint), endpoint)))
      yield* startReplayWorker({ lookSeconds: 0.01, pollSeconds: 0.1 })
      const ended = yield* until(({ state }) => state === "completed")
      assert.strictEqual(ended.replayedCount, dead.length)
      assert.strictEqual((yield* deliveriesTo(endpoint)).length, 50)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )
})
