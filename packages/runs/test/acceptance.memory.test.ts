import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { layer as stores } from "@agent-platform/runs/memory"
import { acceptanceContract } from "@agent-platform/runs/testing"
import { Layer } from "effect"
import { layerRecipes } from "./support.ts"

acceptanceContract(
  "memory",
  layerRecipes().pipe(
    Layer.provideMerge(Layer.provideMerge(stores, kernel)),
    Layer.provideMerge(Tenants.layerUnfounded)
  )
)
