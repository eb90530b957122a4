import type { UnitOfWork } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer, Schedule } from "effect"
import type { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import type { TenancyStore } from "../ports/TenancyStore.ts"
import type { RateLimit } from "../RequestBucket.ts"
import { keyOf, tenants } from "./storedApiKeys.ts"

/** The ports of the suite: the counts, and the stores of the limited keys and workspaces. */
export type RateLimitsContractPorts = RateLimits | ApiKeyStore | TenancyStore | UnitOfWork

/** A window in seconds that is too long for the bucket to fill while a case runs. */
const DAY = 86_400

/** The kinds of limits. `limited` makes a key or a workspace, and returns a function that counts its requests. */
const KINDS = [
  {
    kind: "keys",
    limited: Effect.gen(function* () {
      const { key } = yield* keyOf((yield* tenants).first)
      return (rateLimit: RateLimit, requests = 1) =>
        RateLimits.use((limits) => limits.take({ organizationId: key.organizationId, id: key.id, rateLimit }, requests))
    })
  },
  {
    kind: "workspaces",
    limited: Effect.gen(function* () {
      const {
        ofOrganization: { organizationId },
        workspaces: [workspaceId]
      } = yield* tenants
      return (rateLimit: RateLimit, requests = 1) =>
        RateLimits.use((limits) => limits.take({ organizationId, workspaceId, rateLimit }, requests))
    })
  }
] as const

/** The contract of every count of requests. */
export const rateLimitsContract = <E>(adapter: string, adapterLayer: Layer.Layer<RateLimitsContractPorts, E>) =>
  describe.each(KINDS)(`rate limits of $kind over ${adapter}`, ({ kind, limited }) => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("takes as many requests as the limit says, counting down, and refuses the next", () =>
        Effect.gen(function* () {
          const take = yield* limited
          const rateLimit = { limit: 4, windowSeconds: DAY }
          for (const remaining of [3, 2, 1, 0]) {
            const reading = yield* take(rateLimit)
            assert.deepInclude(reading, { taken: true, remaining })
            assert.closeTo(reading.resetSeconds, ((4 - remaining) * DAY) / 4, 60)
          }
          const refused = yield* take(rateLimit)
          assert.deepInclude(refused, { taken: false, remaining: 0 })
          assert.closeTo(refused.resetSeconds, DAY, 60)
          assert.closeTo(refused.retryAfterSeconds, DAY / 4, 60)
        })
      )

      it.effect("takes several requests or none of them, and all of the limit at once", () =>
        Effect.gen(function* () {
          const take = yield* limited
          const rateLimit = { limit: 10, windowSeconds: DAY }
          assert.deepInclude(yield* take(rateLimit, 4), { taken: true, remaining: 6 })
          assert.isFalse((yield* take(rateLimit, 7)).taken)
          assert.deepInclude(yield* take(rateLimit, 6), { taken: true, remaining: 0 })
          assert.isFalse((yield* take(rateLimit, 1)).taken)
        })
      )

      it.effect("counts no refused request", () =>
        Effect.gen(function* () {
          const take = yield* limited
          const rateLimit = { limit: 1, windowSeconds: DAY }
          yield* take(rateLimit)
          const first = yield* take(rateLimit)
          for (let count = 0; count < 20; count++) yield* take(rateLimit)
          const last = yield* take(rateLimit)
          assert.isFalse(last.taken)
          assert.isAtMost(last.retryAfterSeconds, first.retryAfterSeconds)
        })
      )

      it.effect("takes no more than the limit of forty that come at once", () =>
        Effect.gen(function* () {
          const take = yield* limited
          const rateLimit = { limit: 10, windowSeconds: DAY }
          const readings = yield* Effect.forEach(Array.from({ length: 40 }), () => take(rateLimit), {
            concurrency: "unbounded"
          })
          const taken = readings.filter((reading) => reading.taken)
          assert.sameMembers(
            taken.map((reading) => reading.remaining),
            [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
          )
          for (const reading of readings) if (!reading.taken) assert.isAtLeast(reading.retryAfterSeconds, 1)
        })
      )

      it.effect(`refuses none of ten that come at once where ${kind} have a limit of ten`, () =>
        Effect.gen(function* () {
          const take = yield* limited
          const rateLimit = { limit: 10, windowSeconds: DAY }
          const ten = Effect.forEach(Array.from({ length: 10 }), () => take(rateLimit), { concurrency: "unbounded" })
          assert.sameMembers(
            (yield* ten).map((reading) => (reading.taken ? reading.remaining : "refused")),
            [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
          )
        })
      )

      it.effect(`counts the requests of several ${kind} apart`, () =>
        Effect.gen(function* () {
          const rateLimit = { limit: 2, windowSeconds: DAY }
          const [one, other] = [yield* limited, yield* limited]
          for (let count = 0; count < 3; count++) yield* one(rateLimit)
          assert.deepInclude(yield* other(rateLimit), { taken: true, remaining: 1 })
        })
      )

      it.effect("gives requests back one by one as time passes", () =>
        Effect.gen(function* () {
          const take = yield* limited
          // A request comes back every half second, which is long enough for a refusal before it and short enough to wait for.
          const rateLimit = { limit: 4, windowSeconds: 2 }
          const untilTaken = (wanted: boolean) =>
            take(rateLimit).pipe(
              Effect.repeat({
                until: ({ taken }) => taken === wanted,
                times: 500,
                schedule: Schedule.spaced("10 millis")
              })
            )
          assert.strictEqual((yield* untilTaken(false)).retryAfterSeconds, 1)
          assert.deepInclude(yield* untilTaken(true), { taken: true, remaining: 0 })
        })
      )

      it.effect("begins anew with a limit that was changed", () =>
        Effect.gen(function* () {
          const take = yield* limited
          yield* take({ limit: 1, windowSeconds: DAY })
          assert.deepInclude(yield* take({ limit: 3, windowSeconds: DAY }), { taken: true, remaining: 2 })
          assert.deepInclude(yield* take({ limit: 3, windowSeconds: 60 }), { taken: true, remaining: 2 })
          assert.deepInclude(yield* take({ limit: 1, windowSeconds: DAY }), { taken: true, remaining: 0 })
          assert.isFalse((yield* take({ limit: 1, windowSeconds: DAY })).taken)
        })
      )

      it.effect("counts by the largest and the smallest limits", () =>
        Effect.gen(function* () {
          const take = yield* limited
          for (const limit of [1, 1_000_000]) {
            for (const windowSeconds of [1, DAY]) {
              const reading = yield* take({ limit, windowSeconds })
              assert.deepInclude(reading, { taken: true, remaining: limit - 1 })
              assert.isAtMost(reading.resetSeconds, Math.ceil(windowSeconds / limit))
            }
          }
        })
      )
    })
  })
