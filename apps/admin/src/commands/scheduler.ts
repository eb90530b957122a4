import { serve } from "@agent-platform/process"
import { Command } from "effect/cli"
import { described } from "../described.ts"
import { layerScheduler } from "../layers.ts"

/** The scheduler, until it is stopped: what the program does without a command, too. */
export const runScheduler = serve("scheduler", layerScheduler)

/** The command that runs the scheduler. */
export const scheduler = Command.make("scheduler", {}, () => runScheduler).pipe(
  described({ does: "Do scheduled work as it comes due, until stopped", examples: ["scheduler"] })
)
