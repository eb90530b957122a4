import { DateTime, Effect } from "effect"
import { claimOf } from "../idempotently.ts"
import { IDEMPOTENCY_HOURS, Idempotency, type IdempotencyRequest } from "../ports/Idempotency.ts"
import { layerMemory } from "./MemoryDatabase.ts"

/** A key as memory keeps it. */
export interface KeptKey {
  readonly place: string
  readonly scope: string
  readonly bodyHash: string
  readonly resourceId: string
  readonly claimedAt: number
}

const KEPT_MILLIS = IDEMPOTENCY_HOURS * 3600 * 1000

/** Idempotency keys over a `MemoryDatabase`. Its transactions run one after another, so no claim has to be stored. */
export const layerIdempotency = layerMemory(Idempotency)((database) => {
  const kept = database.table<KeptKey>("idempotency_key")
  const placeOf = (request: IdempotencyRequest) => JSON.stringify([request.scope, request.route, request.key])
  const now = Effect.map(DateTime.now, DateTime.toEpochMillis)
  return {
    claim: Effect.fnUntraced(function* (...requests) {
      const places = requests.map(placeOf)
      const found = yield* Effect.forEach(places, kept.get)
      return requests.map((request, index) => {
        const isFirst = places.indexOf(places[index] ?? "") === index
        return claimOf(request, found[index], isFirst)
      })
    }),
    record: Effect.fnUntraced(function* (...created) {
      const claimedAt = yield* now
      for (const { request, resourceId } of created) {
        const key = { place: placeOf(request), scope: request.scope, bodyHash: request.bodyHash, resourceId, claimedAt }
        yield* kept.put(key.place, key)
      }
    }),
    prune: Effect.fnUntraced(function* (needed, { after, max }) {
      const oldest = (yield* now) - KEPT_MILLIS
      const from = after === undefined ? 0 : DateTime.toEpochMillis(after)
      const old = (yield* kept.all)
        .filter(({ claimedAt }) => claimedAt <= oldest && claimedAt > from)
        .sort((one, other) => one.claimedAt - other.claimedAt)
        .slice(0, max)
      const stillNeeded = yield* needed(old.map(({ resourceId }) => resourceId))
      const pruned = old.filter(({ resourceId }) => !stillNeeded.has(resourceId))
      yield* Effect.forEach(pruned, (key) => kept.remove(key.place), { discard: true })
      const last = old.length < max ? undefined : old.at(-1)
      return { pruned: pruned.length, last: last && DateTime.makeUnsafe(last.claimedAt) }
    })
  }
})
