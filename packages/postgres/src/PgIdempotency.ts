import { claimOf, IDEMPOTENCY_HOURS, Idempotency, type IdempotencyRequest } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { readTimestamp, texts, timestamp } from "./columns.ts"
import { layerSql } from "./layerSql.ts"
import { posted } from "./pipelined.ts"

/** A key that is old enough to go. Rows are never updated, so its `ctid` names it for as long as it is locked. */
interface OldKey {
  readonly resource_id: string
  readonly place: string
  readonly claimed_at: Date
}

const lockName = (request: IdempotencyRequest) =>
  `idempotency_key:${JSON.stringify([request.scope, request.route, request.key])}`

/**
 * Idempotency keys in the table `idempotency_key`. A claim is an advisory lock of the transaction, released when it ends; the
 * row is written once, by `record`. Two keys collide on a lock with a chance of 1 in 2^64, and then the later of two concurrent
 * requests is refused and may be retried.
 */
export const layer = layerSql(Idempotency)((sql) => ({
  claim: Effect.fnUntraced(function* (...requests) {
    const names = requests.map(lockName)
    const scopes = texts(requests.map((request) => request.scope))
    const routes = texts(requests.map((request) => request.route))
    const keys = texts(requests.map((request) => request.key))
    // Keys that are recorded already are not locked, so that concurrent repetitions of them are answered and not refused.
    const locks = sql<{ readonly locked: boolean | null }>`
          select case when idempotency_key.key is null then pg_try_advisory_xact_lock(hashtextextended(name, 0)) end as locked
          from unnest(${texts(names)}, ${scopes}, ${routes}, ${keys})
            with ordinality as asked (name, scope, route, key, place)
          left join agent_platform.idempotency_key using (scope, route, key)
          order by place
        `
    // A second statement, as the snapshot of the first is older than its locks. Both are sent at once, and run one after
    // the other.
    const find = sql<{ readonly place: bigint; readonly bodyHash: string; readonly resourceId: string }>`
          select place, body_hash as "bodyHash", resource_id as "resourceId"
          from unnest(${scopes}, ${routes}, ${keys}) with ordinality as asked (scope, route, key, place)
          join agent_platform.idempotency_key using (scope, route, key)
        `
    const [locked, found] = yield* Effect.orDie(Effect.all([locks, find], { concurrency: 2 }))
    const earlier = new Map(found.map((row) => [Number(row.place) - 1, row]))
    return requests.map((request, place) => {
      // A transaction gets a lock that it has already, so of equal keys in one call only the first is claimed.
      const isClaimed = locked[place]?.locked === true && names.indexOf(names[place] ?? "") === place
      return claimOf(request, earlier.get(place), isClaimed)
    })
  }),
  record: Effect.fnUntraced(function* (...created) {
    const claimedAt = timestamp(yield* DateTime.now)
    const requests = created.map(({ request }) => request)
    yield* posted(
      sql,
      sql`
          insert into agent_platform.idempotency_key (scope, route, key, body_hash, resource_id, claimed_at)
          select scope, route, key, body_hash, resource_id, ${claimedAt}
          from unnest(
            ${texts(requests.map((request) => request.scope))},
            ${texts(requests.map((request) => request.route))},
            ${texts(requests.map((request) => request.key))},
            ${texts(requests.map((request) => request.bodyHash))},
            ${texts(created.map(({ resourceId }) => resourceId))}
          ) as created (scope, route, key, body_hash, resource_id)
        `
    ).pipe(Effect.orDie)
  }),
  prune: Effect.fnUntraced(function* (needed, { after, max }) {
    const oldest = timestamp(DateTime.subtract(yield* DateTime.now, { hours: IDEMPOTENCY_HOURS }))
    const from = after === undefined ? sql.literal("") : sql`and claimed_at > ${timestamp(after)}`
    const old = yield* Effect.orDie(sql<OldKey>`
          select resource_id, ctid::text as place, claimed_at from agent_platform.idempotency_key
          where claimed_at <= ${oldest} ${from} order by claimed_at limit ${max} for update skip locked
        `)
    const kept = yield* needed(old.map(({ resource_id }) => resource_id))
    const gone = old.filter(({ resource_id }) => !kept.has(resource_id)).map(({ place }) => place)
    if (gone.length > 0) {
      yield* Effect.orDie(sql`delete from agent_platform.idempotency_key where ctid = any(${texts(gone)}::tid[])`)
    }
    const last = old.length < max ? undefined : old.at(-1)
    return { pruned: gone.length, last: last && readTimestamp(last.claimed_at) }
  })
}))
