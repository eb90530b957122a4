import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { layerScheduler } from "../layers.ts"

const tellParent = Effect.sync(() => {
  process.send?.({ ready: true })
})

/** The scheduler, until it is told to stop. */
export const runScheduler = Effect.scoped(
  Layer.build(layerScheduler).pipe(Effect.andThen(tellParent), Effect.andThen(Effect.never))
)

/** The command that runs the scheduler. */
export const scheduler = Command.make("scheduler", {}, () => runScheduler).pipe(
  Command.withDescription("Do scheduled work as it comes due, until told to stop")
)
