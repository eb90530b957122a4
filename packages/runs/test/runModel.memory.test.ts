import { Tenants } from "@agent-platform/kernel/testing"
import { runModelContract } from "@agent-platform/runs/testing"
import { Layer } from "effect"
import { memory } from "./support.ts"

runModelContract("memory", Layer.merge(memory(), Tenants.layerUnfounded), { runs: 100 })
