import type { EventId, OrganizationId } from "@agent-platform/kernel"
import {
  type EndpointId,
  type Replay,
  type ReplayId,
  type ReplaySelection,
  type ReplayState,
  ReplayStore,
  type StopReason
} from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { nullableTimestamp, readNullableTimestamp, readTimestamp, timestamp } from "../columns.ts"

interface ReplayRow {
  readonly organization_id: OrganizationId
  readonly id: ReplayId
  readonly endpoint_id: EndpointId
  readonly since: Date
  readonly until: Date
  readonly selection: ReplaySelection
  readonly state: ReplayState
  readonly state_reason: StopReason | null
  readonly position: EventId | null
  readonly replayed_count: number
  readonly created_at: Date
  readonly started_at: Date | null
  readonly finished_at: Date | null
}

const COLUMNS =
  "organization_id, id, endpoint_id, since, until, selection, state, state_reason, position, replayed_count, " +
  "created_at, started_at, finished_at"

const toReplay = (row: ReplayRow): Replay => ({
  id: row.id,
  organizationId: row.organization_id,
  endpointId: row.endpoint_id,
  since: readTimestamp(row.since),
  until: readTimestamp(row.until),
  selection: row.selection,
  state: row.state,
  stateReason: row.state_reason,
  position: row.position,
  replayedCount: row.replayed_count,
  createdAt: readTimestamp(row.created_at),
  startedAt: readNullableTimestamp(row.started_at),
  finishedAt: readNullableTimestamp(row.finished_at)
})

/** Replays of ranges in the table `webhook_replay`. */
export const layer: Layer.Layer<ReplayStore, never, SqlClient.SqlClient> = Layer.effect(
  ReplayStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(COLUMNS)
    const findLocked = (lock: "" | "for update"): ReplayStore["Service"]["find"] => {
      const locking = sql.literal(lock)
      return (organizationId, id) =>
        sql<ReplayRow>`
          select ${columns} from webhook_replay where organization_id = ${organizationId} and id = ${id} ${locking}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toReplay(row))
        )
    }
    return ReplayStore.of({
      insert: (replay) =>
        sql`
          insert into webhook_replay (${columns}) values (
            ${replay.organizationId}, ${replay.id}, ${replay.endpointId}, ${timestamp(replay.since)},
            ${timestamp(replay.until)}, ${replay.selection}, ${replay.state}, ${replay.stateReason}, ${replay.position},
            ${replay.replayedCount}, ${timestamp(replay.createdAt)}, ${nullableTimestamp(replay.startedAt)},
            ${nullableTimestamp(replay.finishedAt)}
          )
        `.pipe(Effect.orDie, Effect.asVoid),

      find: findLocked(""),
      findToChange: findLocked("for update"),

      replace: (replay) =>
        sql`
          update webhook_replay set
            state = ${replay.state}, state_reason = ${replay.stateReason}, position = ${replay.position},
            replayed_count = ${replay.replayedCount}, started_at = ${nullableTimestamp(replay.startedAt)},
            finished_at = ${nullableTimestamp(replay.finishedAt)}
          where organization_id = ${replay.organizationId} and id = ${replay.id}
        `.pipe(Effect.orDie, Effect.asVoid),

      prune: (before, limit) =>
        sql`
          delete from webhook_replay where (organization_id, id) in (
            select organization_id, id from webhook_replay
            where finished_at < ${timestamp(before)} order by finished_at limit ${limit} for update skip locked
          ) returning 1
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.length)
        ),

      countUnfinished: (endpointId) =>
        sql<{ readonly unfinished: number }>`
          select count(*)::int as unfinished from webhook_replay
          where endpoint_id = ${endpointId} and finished_at is null
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row?.unfinished ?? 0)
        )
    })
  })
)
