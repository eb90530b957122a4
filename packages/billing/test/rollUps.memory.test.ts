import { layer as stores } from "@agent-platform/billing/memory"
import { EndedRuns, rollUpContract, Zones } from "@agent-platform/billing/testing"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { Layer } from "effect"

const memory = Layer.mergeAll(
  Layer.provideMerge(Layer.merge(stores, EndedRuns.layerMemory), kernel),
  Tenants.layerUnfounded,
  Layer.succeed(TransactionsOverlap, false),
  Zones.layer
)

rollUpContract("memory", memory)
