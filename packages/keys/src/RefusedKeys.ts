import { FeedLog, tallyActivity, type UnitOfWork } from "@agent-platform/kernel"
import { measure } from "@agent-platform/toolkit"
import { Context, DateTime, Effect, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ApiKey, KeyRefusal } from "./ApiKey.ts"
import { makeGathering } from "./makeGathering.ts"
import { refusalsUnrecorded } from "./measures.ts"
import { actWithKey } from "./use-cases/api-keys/keyAct.ts"

/** Why a key was refused, as the end of a sentence. */
const REASONS: Readonly<Record<KeyRefusal, string>> = {
  revoked: "it was revoked",
  expired: "it has expired",
  disabled: "it is disabled",
  address: "it may not be used from that address"
}

/** Most refusals, by key and reason, that a process gathers between two writes. */
const REFUSALS_MAX = 20_000

/** Most of them of one organization, so that none displaces the others. */
export const ORGANIZATION_REFUSALS_MAX = 200

/** How often a key was refused for one reason, first at `at`, last from `clientAddress`. */
interface Refusals {
  readonly key: ApiKey
  readonly reason: KeyRefusal
  readonly clientAddress: string | undefined
  readonly at: DateTime.Utc
  readonly count: number
}

/**
 * Refusals of keys that are known, gathered beside the requests: one entry of activity for each key, reason and minute, however
 * many requests there are, and wherever they arrive. Of a process that is killed the last seconds are lost.
 */
export class RefusedKeys extends Context.Service<
  RefusedKeys,
  {
    /** Notes a refusal; nothing of a browser key. */
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
  // Of a count that begins with its first addition Prometheus sees no increase.
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
    // Pages go on asking with a browser key that is over, and there are many of them.
    note: (key, reason, clientAddress) =>
      Effect.flatMap(DateTime.now, (at) =>
        key.reads !== null || gather(`${key.id} ${reason}`, { key, reason, clientAddress, at, count: 1 })
          ? Effect.void
          : measure(refusalsUnrecorded, {}, 1)
      )
  })
})
