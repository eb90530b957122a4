import { JobSource, Signals } from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { Boss } from "./Boss.ts"
import { doNow } from "./doNow.ts"
import { work } from "./work.ts"

/**
 * The job source over pg-boss, which shows the heartbeats of the jobs that are under way here. A `Boss` that supervises, in
 * this or any other process, has the jobs of holders tried again that are gone.
 */
export const layer: Layer.Layer<JobSource, never, Boss | Signals> = Layer.effect(
  JobSource,
  Effect.gen(function* () {
    const boss = yield* Boss
    const signals = yield* Signals
    return JobSource.of({ work: work(boss, signals), doNow: doNow(boss) })
  })
)
