import {
  callLedgerContract,
  ledgerEraserContract,
  ledgerModelContract,
  priceOverrideStoreContract
} from "@agent-platform/billing/testing"
import { PgCallLedger, PgLedgerEraser, PgPriceOverrideStore, PgUnitOfWork } from "@agent-platform/postgres"
import { Layer } from "effect"
import { layerBilledRuns } from "./support/billedRuns.ts"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = Layer.mergeAll(
  PgUnitOfWork.layer,
  PgCallLedger.layer,
  PgLedgerEraser.layer,
  PgPriceOverrideStore.layer,
  layerTenants,
  layerBilledRuns
).pipe(Layer.provideMerge(databaseLayer))

callLedgerContract("Postgres", layer)
ledgerEraserContract("Postgres", layer)
priceOverrideStoreContract("Postgres", layer)
ledgerModelContract("Postgres", layer, { runs: 15 })
