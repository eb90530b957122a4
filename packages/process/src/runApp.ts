import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Data, Effect, Exit, Layer, Predicate } from "effect"
import { layer as layerLogger } from "./PinoLogger.ts"
import { read, SettingInvalid } from "./Setting.ts"
import { logLevel } from "./settings.ts"
import { layerTracing } from "./Tracing.ts"

/** What a command was asked for cannot be done, as its message says to whoever asked; the exit code is 1. */
export class CommandRefused extends Data.TaggedError("CommandRefused")<{ readonly message: string }> {}

/** The exit code of a process that cannot start with its settings: EX_CONFIG of sysexits.h. */
export const EXIT_CONFIGURATION = 78

/** The setting at fault, wherever in the start-up it was found. */
const invalidSetting = (cause: Cause.Cause<unknown>): SettingInvalid | undefined => {
  const error = Cause.squash(cause)
  return error instanceof SettingInvalid ? error : undefined
}

/** Whether the command line was wrong, or help was asked for: that has been shown already. */
const isShown = (cause: Cause.Cause<unknown>): boolean => Predicate.isTagged(Cause.squash(cause), "ShowHelp")

const run = <E>(name: string, program: Effect.Effect<void, E>) => {
  const logger = Layer.unwrap(
    Effect.map(read(logLevel), (level) => layerLogger({ level, app: name, pretty: process.stdout.isTTY === true }))
  )
  const main = program.pipe(
    Effect.provide(layerTracing(name)),
    Effect.tapCause((cause) => {
      if (Cause.hasInterruptsOnly(cause) || isShown(cause)) return Effect.void
      const error = Cause.squash(cause)
      // On standard error: what a command prints on the other is for programs.
      if (error instanceof CommandRefused) return Effect.sync(() => process.stderr.write(`${name}: ${error.message}\n`))
      const invalid = invalidSetting(cause)
      return invalid === undefined ? Effect.logFatal(`The ${name} stops`, cause) : Effect.logFatal(invalid.message)
    }),
    Effect.provide(logger),
    Effect.tapError((error) =>
      error instanceof SettingInvalid && error.variable === logLevel.variable
        ? Effect.sync(() => process.stderr.write(`${error.message}\n`))
        : Effect.void
    )
  )
  // A terminal that is closed is no reason to drop what is under way.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))
  NodeRuntime.runMain(main, {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit)) return onExit(0)
      // Told to stop, and everything was drained: that is how such a process ends well.
      if (Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
      return onExit(invalidSetting(exit.cause) === undefined ? 1 : EXIT_CONFIGURATION)
    }
  })
}

/**
 * Builds the layer, says that the process is ready (in the log, and `{ready: true}` to a parent process that listens), and
 * keeps it until the process is told to stop, which closes the layer and so drains it.
 */
export const serve = <E>(name: string, app: Layer.Layer<never, E>): Effect.Effect<never, E> =>
  Effect.scoped(
    Layer.build(app).pipe(
      Effect.andThen(Effect.logInfo(`The ${name} is ready`)),
      Effect.andThen(Effect.sync(() => process.send?.({ ready: true }))),
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Effect.logInfo(`The ${name} was told to stop`))
    )
  )

/**
 * Runs an app until SIGTERM, SIGINT or SIGHUP. A setting that is missing or wrong is named in one line, and the exit code is
 * 78; after a stop that was asked for it is 0.
 */
export const runApp = <E>(name: string, app: Layer.Layer<never, E>): void => run(name, serve(name, app))

/** Runs a program to its end, with the same logging, settings and exit codes. */
export const runCommand = <E>(name: string, program: Effect.Effect<void, E>): void => run(name, program)
