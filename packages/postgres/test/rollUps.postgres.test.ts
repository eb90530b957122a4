import { rollUpContract, Zones } from "@agent-platform/billing/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { Layer } from "effect"
import { layerBilledRuns } from "./support/billedRuns.ts"
import { databaseLayer } from "./support/database.ts"
import { layerEndedRuns } from "./support/endedRuns.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = Layer.mergeAll(layerTenants, layerBilledRuns, layerEndedRuns, Zones.layer).pipe(
  Layer.provideMerge(postgres),
  Layer.provideMerge(databaseLayer)
)

rollUpContract("Postgres", layer)
