import { Tenants } from "@agent-platform/kernel/testing"
import { scheduleModelContract } from "@agent-platform/runs/testing"
import { Layer } from "effect"
import { memory } from "./support.ts"

scheduleModelContract("memory", Layer.merge(memory(), Tenants.layerUnfounded), { runs: 40 })
