import { layer as stores } from "@agent-platform/billing/memory"
import {
  BilledRuns,
  callLedgerContract,
  ledgerEraserContract,
  ledgerModelContract,
  priceOverrideStoreContract
} from "@agent-platform/billing/testing"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { Layer } from "effect"

const memory = Layer.mergeAll(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded, BilledRuns.layerUnfounded)

callLedgerContract("memory", memory)
ledgerEraserContract("memory", memory)
priceOverrideStoreContract("memory", memory)
ledgerModelContract("memory", memory, { runs: 80 })
