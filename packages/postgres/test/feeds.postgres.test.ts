import {
  activityFeedContract,
  feedEraserContract,
  notificationFeedContract,
  notificationModelContract
} from "@agent-platform/feeds/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { Layer } from "effect"
import { databaseLayer } from "./support/database.ts"
import { feedReading } from "./support/feedReading.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = layerTenants.pipe(Layer.provideMerge(postgres), Layer.provideMerge(databaseLayer))

activityFeedContract("Postgres", layer)
feedEraserContract("Postgres", layer, feedReading)
notificationFeedContract("Postgres", layer)
notificationModelContract("Postgres", layer, { runs: 25 })
