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

/** The connection to the replica. */
export interface ReplicaOptions {
  /** The URL, in the form of `PostgresOptions`. */
  readonly url: Redacted.Redacted
  readonly applicationName?: string | undefined
}

/** Connections of a process to its replica. At most half are used by large readings, of which two are made at a time. */
const CONNECTIONS_MAX = 4

/** Readings of a single run stay with the primary: the caller may have just seen it end. */
const readingsOver = (replica: Replica, primary: UsageReadings["Service"], standby: UsageReadings["Service"]) =>
  UsageReadings.of({
    ...primary,
    usage: (...asked) => replica.read(standby.usage(...asked), primary.usage(...asked)),
    hours: (...asked) => replica.read(standby.hours(...asked), primary.hours(...asked)),
    labelled: (...asked) => replica.read(standby.labelled(...asked), primary.labelled(...asked)),
    groupedDays: (...asked) => replica.read(standby.groupedDays(...asked), primary.groupedDays(...asked)),
    days: (...asked) => replica.read(standby.days(...asked), primary.days(...asked))
  })

/** The first page stays with the primary, because it shows what the caller has just done; later pages have older entries. */
const feedOver = (replica: Replica, primary: ActivityFeed["Service"], standby: ActivityFeed["Service"]) =>
  ActivityFeed.of({
    ...primary,
    list: (scope, filter, page) =>
      page.before === undefined
        ? primary.list(scope, filter, page)
        : replica.read(standby.list(scope, filter, page), primary.list(scope, filter, page))
  })

/**
 * Readings of usage and later pages of activity go over the replica while it follows closely; all other methods of the two ports stay
 * as given. A replica that cannot be reached neither keeps the layer from being built nor fails a reading.
 */
export const layerReplica = (
  options: ReplicaOptions
): Layer.Layer<UsageReadings | ActivityFeed, SqlError, UsageReadings | ActivityFeed | SqlClient.SqlClient> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const primary = yield* SqlClient.SqlClient
      const client = layerClient({ ...options, maxConnections: CONNECTIONS_MAX, timeouts: TIMEOUTS.replica })
      // Fresh layers, because these are memoized over the primary.
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
