/** The domain over memory or Postgres, with all that it needs. */
import { type ActivityFeed, Feeds, type NotificationFeed } from "@agent-platform/feeds"
import { layer as storesMemory } from "@agent-platform/feeds/memory"
import { DEFAULT_QUOTAS, type FeedLog, Quotas, type Signals, type UnitOfWork } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { PgActivityFeed, PgFeedLog, PgNotificationFeed, PgSignals, PgUnitOfWork } from "@agent-platform/postgres"
import { DatabaseSchema } from "@agent-platform/toolkit"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlError } from "effect/sql/SqlError"
import type { Installation } from "../internal/database.ts"
import { layerLog } from "../internal/runtime.ts"
import type { FeedsSettings } from "./options.ts"

const postgres = ({ client, schema }: Installation) =>
  Layer.mergeAll(PgActivityFeed.layer, PgFeedLog.layer, PgNotificationFeed.layer).pipe(
    Layer.provideMerge(Layer.merge(PgSignals.layer, PgUnitOfWork.layer)),
    Layer.provideMerge(client),
    Layer.provideMerge(Layer.succeed(DatabaseSchema, schema))
  )

const memory = Layer.provideMerge(storesMemory, kernelMemory)

type Stores = ActivityFeed | FeedLog | NotificationFeed | Signals | UnitOfWork

const storesOf = (installation: Installation | undefined): Layer.Layer<Stores, SqlError> =>
  installation === undefined ? memory : postgres(installation)

/** Everything that the door runs. */
export const layerOf = ({ installation, log, notificationsMax }: FeedsSettings) =>
  Feeds.layer.pipe(
    Layer.provideMerge(
      Layer.merge(Layer.succeed(Quotas, { ...DEFAULT_QUOTAS, notices: notificationsMax }), SecureRandom.layerWebCrypto)
    ),
    Layer.provideMerge(storesOf(installation)),
    Layer.provideMerge(layerLog(log))
  )
