import { serve } from "@agent-platform/process"
import { Command } from "effect/cli"
import { layerScheduler } from "../layers.ts"

/** The scheduler, until it is told to stop. */
export const runScheduler = serve("scheduler", layerScheduler)

/** The command that runs the scheduler. */
export const scheduler = Command.make("scheduler", {}, () => runScheduler).pipe(
  Command.withDescription("Do scheduled work as it comes due, until told to stop")
)
