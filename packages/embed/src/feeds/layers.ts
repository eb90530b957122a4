/** The domain over memory or Postgres, with all that it needs. */
import { Feeds } from "@agent-platform/feeds"
import { layer as storesMemory } from "@agent-platform/feeds/memory"
import { DEFAULT_QUOTAS, Quotas } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { PgActivityFeed, PgFeedLog, PgNotificationFeed, PgSignals, PgUnitOfWork } from "@agent-platform/postgres"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { layerStores } from "../internal/database.ts"
import { layerLog } from "../internal/runtime.ts"
import type { FeedsSettings } from "./options.ts"

const postgres = Layer.provideMerge(
  Layer.mergeAll(PgActivityFeed.layer, PgFeedLog.layer, PgNotificationFeed.layer),
  Layer.merge(PgSignals.layer, PgUnitOfWork.layer)
)

const memory = Layer.provideMerge(storesMemory, kernelMemory)

/** Everything that the entry point runs. */
export const layerOf = ({ installation, log, notificationsMax }: FeedsSettings) =>
  Feeds.layer.pipe(
    Layer.provideMerge(
      Layer.merge(Layer.succeed(Quotas, { ...DEFAULT_QUOTAS, notices: notificationsMax }), SecureRandom.layerWebCrypto)
    ),
    Layer.provideMerge(layerStores(installation, memory, postgres)),
    Layer.provideMerge(layerLog(log))
  )
