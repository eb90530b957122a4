import { JobSource, Signals } from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { Boss } from "./Boss.ts"
import { doNow } from "./doNow.ts"
import { work } from "./work.ts"

/**
 * The job source over pg-boss, which sends the heartbeats of the jobs in flight here. A supervising `Boss`, in this or any other
 * process, retries the jobs of holders that are gone.
 */
export const layer: Layer.Layer<JobSource, never, Boss | Signals> = Layer.effect(
  JobSource,
  Effect.gen(function* () {
    const boss = yield* Boss
    const signals = yield* Signals
    return JobSource.of({ work: work(boss, signals), doNow: doNow(boss) })
  })
)
