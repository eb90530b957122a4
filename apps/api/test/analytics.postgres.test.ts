/** Usage and costs over Postgres, workers included. */
import { Platform } from "@agent-platform/platform"
import { layer } from "@effect/vitest"
import { Layer, Logger } from "effect"
import { analyticsGroups } from "./analyticsGroups.ts"
import { analyticsLife } from "./analyticsLife.ts"
import { layerPorts } from "./overPostgres.ts"
import { layerOver } from "./support.ts"

const layerWithWorkers = Layer.suspend(() =>
  Platform.layerWorkers({ demo: "full", runs: { drainSeconds: 0 } }).pipe(
    Layer.provideMerge(layerOver(layerPorts)),
    Layer.provide(Logger.layer([]))
  )
)

layer(layerWithWorkers, { excludeTestServices: true, timeout: "60 seconds" })("readings over Postgres", (it) => {
  analyticsLife(it)
  analyticsGroups(it)
})
