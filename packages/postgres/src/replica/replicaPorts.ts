/** The ports of readings that may be a little old, over a streaming replica of the primary. */
import { UsageReadings } from "@agent-platform/billing"
import { ActivityFeed } from "@agent-platform/feeds"
import { Context, Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as PgUsageReadings from "../billing/PgUsageReadings.ts"
import * as PgActivityFeed from "../feeds/PgActivityFeed.ts"
import { layerClient } from "../Postgres.ts"
import { TIMEOUTS } from "../timeouts.ts"
import { makeReplica, type Replica } from "./Replica.ts"

/** Where the replica is. */
export interface ReplicaOptions {
  /** As that of the primary, in `PostgresOptions`. */
  readonly url: Redacted.Redacted
  readonly applicationName?: string | undefined
}

/** Connections of a process to its replica: half of them for large readings, of which no more are made at a time. */
const CONNECTIONS_MAX = 4

/** Readings of a single run stay with the primary: their caller may have just seen it end. */
const readingsOver = (replica: Replica, one: UsageReadings["Service"], other: UsageReadings["Service"]) =>
  UsageReadings.of({
    ...one,
    usage: (...asked) => replica.read(other.usage(...asked), one.usage(...asked)),
    hours: (...asked) => replica.read(other.hours(...asked), one.hours(...asked)),
    labelled: (...asked) => replica.read(other.labelled(...asked), one.labelled(...asked)),
    groupedDays: (...asked) => replica.read(other.groupedDays(...asked), one.groupedDays(...asked)),
    days: (...asked) => replica.read(other.days(...asked), one.days(...asked))
  })

/** The first page shows what its caller has just done; those that follow are of entries that were there before it. */
const feedOver = (replica: Replica, one: ActivityFeed["Service"], other: ActivityFeed["Service"]) =>
  ActivityFeed.of({
    ...one,
    list: (scope, filter, page) =>
      page.before === undefined
        ? one.list(scope, filter, page)
        : replica.read(other.list(scope, filter, page), one.list(scope, filter, page))
  })

/**
 * The readings of usage and the later pages of activity over the replica while it follows closely, and everything else of their
 * ports over the given ones. A replica that cannot be reached neither keeps the layer from being built nor fails a reading.
 */
export const layerReplica = (
  options: ReplicaOptions
): Layer.Layer<UsageReadings | ActivityFeed, SqlError, UsageReadings | ActivityFeed | SqlClient.SqlClient> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const primary = yield* SqlClient.SqlClient
      const client = layerClient({ ...options, maxConnections: CONNECTIONS_MAX, timeouts: TIMEOUTS.replica })
      // Made anew: these layers are already built over the primary.
      const over = yield* Layer.build(
        Layer.fresh(Layer.provideMerge(Layer.mergeAll(PgUsageReadings.layer, PgActivityFeed.layer), client))
      )
      const replica = yield* makeReplica(primary, Context.get(over, SqlClient.SqlClient))
      return Context.make(
        UsageReadings,
        readingsOver(replica, yield* UsageReadings, Context.get(over, UsageReadings))
      ).pipe(Context.add(ActivityFeed, feedOver(replica, yield* ActivityFeed, Context.get(over, ActivityFeed))))
    })
  )
