import { DatabaseSchema } from "@agent-platform/toolkit"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Data, Effect, Exit, Layer, Predicate } from "effect"
import { layer as layerLogger } from "./PinoLogger.ts"
import { read, SettingInvalid } from "./Setting.ts"
import { databaseSchema, logLevel } from "./settings.ts"
import { useSoundJson } from "./soundJson.ts"
import { layerTracing } from "./Tracing.ts"

/** The command cannot be done as things are, or something has to be done about them, as its message says. */
export class CommandRefused extends Data.TaggedError("CommandRefused")<{ readonly message: string }> {}

/** The command was begun and went wrong, as its message says. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly message: string }> {}

/** A command was not understood, as its message says. */
export class UsageInvalid extends Data.TaggedError("UsageInvalid")<{ readonly message: string }> {}

/** The exit codes of everything but settings. */
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2
export const EXIT_REFUSED = 3

/** The exit code of a process that cannot start with its settings: EX_CONFIG of sysexits.h. */
export const EXIT_CONFIGURATION = 78

/** The setting at fault, wherever in the start-up it was found. */
const invalidSetting = (cause: Cause.Cause<unknown>): SettingInvalid | undefined => {
  const error = Cause.squash(cause)
  return error instanceof SettingInvalid ? error : undefined
}

/** A sentence for the caller of a command, without a log line around it. */
const sentenceOf = (error: unknown): string | undefined =>
  error instanceof CommandRefused || error instanceof CommandFailed || error instanceof UsageInvalid
    ? error.message
    : undefined

/** Whether the command line was wrong, or help was asked for: that has been shown already. */
const isShown = (cause: Cause.Cause<unknown>): boolean => Predicate.isTagged(Cause.squash(cause), "ShowHelp")

/** The exit code of a process by its exit: 0 as well when it was asked to stop and has drained everything. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return 0
  const error = Cause.squash(exit.cause)
  if (error instanceof SettingInvalid) return EXIT_CONFIGURATION
  if (error instanceof CommandRefused) return EXIT_REFUSED
  return error instanceof UsageInvalid || isShown(exit.cause) ? EXIT_USAGE : EXIT_FAILED
}

/** Runs something over the schema that DATABASE_SCHEMA names. */
export const inDatabaseSchema = Effect.provideServiceEffect(DatabaseSchema, read(databaseSchema))

const run = <E>(name: string, program: Effect.Effect<void, E>, logTo: "stdout" | "stderr") => {
  useSoundJson()
  const pretty = (logTo === "stderr" ? process.stderr : process.stdout).isTTY === true
  const logger = Layer.unwrap(
    Effect.map(read(logLevel), (level) =>
      layerLogger({ level, app: name, pretty, toStandardError: logTo === "stderr" })
    )
  )
  const main = program.pipe(
    inDatabaseSchema,
    Effect.provide(layerTracing(name)),
    Effect.tapCause((cause) => {
      if (Cause.hasInterruptsOnly(cause) || isShown(cause)) return Effect.void
      const error = Cause.squash(cause)
      // On standard error, since standard output is for the results of commands.
      const sentence = sentenceOf(error)
      if (sentence !== undefined) return Effect.sync(() => process.stderr.write(`${name}: ${sentence}\n`))
      const invalid = invalidSetting(cause)
      return invalid === undefined ? Effect.logFatal(`The ${name} stops`, cause) : Effect.logFatal(invalid.message)
    }),
    Effect.provide(logger),
    // With a wrong LOG_LEVEL there is no logger to say so.
    Effect.tapError((error) =>
      error instanceof SettingInvalid && error.variable === logLevel.variable
        ? Effect.sync(() => process.stderr.write(`${error.message}\n`))
        : Effect.void
    )
  )
  // When its terminal is closed, a process stops as by SIGTERM and ends its work, instead of dying at once.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))
  NodeRuntime.runMain(main, {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(exitCodeOf(exit))
  })
}

/**
 * Builds the layer, says that the process is ready (in the log, and `{ready: true}` to a parent process that listens), and
 * keeps it until the process is asked to stop. Closing the layer drains it.
 */
export const serve = <E>(name: string, app: Layer.Layer<never, E>): Effect.Effect<never, E> =>
  Effect.scoped(
    Layer.build(app).pipe(
      Effect.andThen(Effect.logInfo(`The ${name} is ready`)),
      Effect.andThen(Effect.sync(() => process.send?.({ ready: true }))),
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Effect.logInfo(`The ${name} was asked to stop`))
    )
  ).pipe(Effect.onInterrupt(() => Effect.logInfo(`The ${name} has stopped`)))

/**
 * Runs an app until SIGTERM, SIGINT or SIGHUP. A setting that is missing or wrong is named in one line, and the exit code is
 * 78; after a stop that was asked for it is 0.
 */
export const runApp = <E>(name: string, app: Layer.Layer<never, E>): void => run(name, serve(name, app), "stdout")

/**
 * Runs a program to its end, with the same settings and exit codes. It logs to standard error: standard output is for its
 * results.
 */
export const runCommand = <E>(name: string, program: Effect.Effect<void, E>): void => run(name, program, "stderr")

/** Runs a program to its end as `runCommand` does, but logs to standard output as apps do. */
export const runService = <E>(name: string, program: Effect.Effect<void, E>): void => run(name, program, "stdout")
