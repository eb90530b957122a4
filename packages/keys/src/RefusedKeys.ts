import { FeedLog, tallyActivity, type UnitOfWork } from "@agent-platform/kernel"
import { measure } from "@agent-platform/toolkit"
import { Context, DateTime, Effect, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ApiKey, KeyRefusal } from "./ApiKey.ts"
import { makeGathering } from "./makeGathering.ts"
import { refusalsUnrecorded } from "./measures.ts"
import { actWithKey } from "./use-cases/api-keys/keyAct.ts"

/** The reasons why a key is refused, each as the end of a sentence. */
const REASONS: Readonly<Record<KeyRefusal, string>> = {
  revoked: "it was revoked",
  expired: "it has expired",
  disabled: "it is disabled",
  address: "it may not be used from that address"
}

/** Most refusals, by key and reason, that a process gathers between two writes. */
const REFUSALS_MAX = 20_000

/** Most of these refusals that are of one organization, so that no organization leaves the others no room. */
export const ORGANIZATION_REFUSALS_MAX = 200

/** The refusals of a key for one reason: the first was at `at`, the last from `clientAddress`. */
interface Refusals {
  readonly key: ApiKey
  readonly reason: KeyRefusal
  readonly clientAddress: string | undefined
  readonly at: DateTime.Utc
  readonly count: number
}

/**
 * Refusals of known keys, gathered so that no request waits for them. They make one entry of activity for each key, reason and
 * minute, however many requests there are and wherever they arrive. A process that is killed loses those of its last seconds.
 */
export class RefusedKeys extends Context.Service<
  RefusedKeys,
  {
    /** Notes a refusal. Refusals of browser keys are not noted. */
    readonly note: (key: ApiKey, reason: KeyRefusal, clientAddress: string | undefined) => Effect.Effect<void>
  }
>()("@agent-platform/keys/RefusedKeys") {}

/** Notes refusals until the scope closes, which writes the last ones. */
export const makeRefusedKeys: Effect.Effect<
  RefusedKeys["Service"],
  never,
  FeedLog | SecureRandom.SecureRandom | UnitOfWork | Scope.Scope
> = Effect.gen(function* () {
  const [log, random] = [yield* FeedLog, yield* SecureRandom.SecureRandom]
  const tally = (all: ReadonlyArray<Refusals>) =>
    tallyActivity(
      ...all.map(({ at, clientAddress, count, key, reason }) => ({
        key: `api_key.refused ${key.id} ${reason}`,
        count,
        entry: {
          ...actWithKey(key, "refused", `The API key '${key.name}' was refused: ${REASONS[reason]}`, clientAddress, {
            reason
          }),
          createdAt: at
        }
      }))
    ).pipe(Effect.provideService(FeedLog, log), Effect.provideService(SecureRandom.SecureRandom, random))
  // Prometheus sees no increase in a counter that appears with its first value, so the counter begins at 0.
  yield* measure(refusalsUnrecorded, {}, 0)
  const gather = yield* makeGathering<Refusals>({
    combine: (earlier, later) => ({ ...later, at: earlier.at, count: earlier.count + later.count }),
    write: tally,
    drop: (all, cause) => {
      const count = all.reduce((sum, refusals) => sum + refusals.count, 0)
      return Effect.andThen(
        measure(refusalsUnrecorded, {}, count),
        Effect.logWarning("Refusals of API keys could not be recorded", cause)
      )
    },
    bounds: { ownerOf: ({ key }) => key.organizationId, max: REFUSALS_MAX, ownerMax: ORGANIZATION_REFUSALS_MAX }
  })
  return RefusedKeys.of({
    note: (key, reason, clientAddress) =>
      Effect.flatMap(DateTime.now, (at) => {
        // Many pages keep sending requests with a browser key that has expired, which nobody needs to see.
        if (key.reads !== null) return Effect.void
        const isGathered = gather(`${key.id} ${reason}`, { key, reason, clientAddress, at, count: 1 })
        return isGathered ? Effect.void : measure(refusalsUnrecorded, {}, 1)
      })
  })
})
