/** The program of the operator, run over a database. */
import { spawn } from "node:child_process"
import {
  CommandFailed,
  CommandRefused,
  exitCodeOf,
  SettingInvalid,
  UsageInvalid,
  VERSION
} from "@agent-platform/process"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, ConfigProvider, Console, Effect, Exit, Logger } from "effect"
import { Command } from "effect/cli"
import { appBundle } from "../../../infra/local/appBundles.ts"
import { program } from "../src/program.ts"

/** The environment that the program inherits: no settings, only the path and Node's compile cache. */
export const INHERITED = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }

/** The outcome of one invocation. */
export interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts the real program in a process of its own. */
export const startAdmin = (args: ReadonlyArray<string>, settings: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.promise(() => appBundle("admin")),
    ({ environment, main }) =>
      spawn(process.execPath, [main, ...args], {
        env: { ...INHERITED, ...environment, LOG_LEVEL: "error", ...settings }
      })
  )

/** Runs it to its end. */
export const endedAdmin = (args: ReadonlyArray<string>, settings: Readonly<Record<string, string>>) =>
  Effect.flatMap(startAdmin(args, settings), (child) =>
    Effect.callback<Outcome>((resume) => {
      const output = { out: "", err: "" }
      child.stdout.on("data", (chunk) => {
        output.out += chunk
      })
      child.stderr.on("data", (chunk) => {
        output.err += chunk
      })
      child.on("close", (code) => resume(Effect.succeed({ code, ...output })))
      return Effect.sync(() => child.kill("SIGKILL"))
    })
  )

/** The same over a database, without colours. */
export const spawnAdmin = (url: string, ...args: ReadonlyArray<string>) =>
  endedAdmin(args, { NO_COLOR: "1", DATABASE_URL: url })

/** A console whose lines are kept. */
const makeConsole = () => {
  const lines = { out: "", err: "" }
  const keep =
    (stream: keyof typeof lines) =>
    (...parts: ReadonlyArray<unknown>) => {
      lines[stream] += `${parts.join(" ")}\n`
    }
  const kept: Console.Console = Object.assign(Object.create(console), { log: keep("out"), error: keep("err") })
  return { lines, kept }
}

/**
 * Runs the same commands in this process, which takes a hundredth of the time. Settings come from `url` alone; what is
 * printed and how it ends are those of the program, but for what the process around it says.
 */
export const runAdmin = (url: string, ...args: ReadonlyArray<string>) => runAdminIn({ DATABASE_URL: url }, ...args)

/** The same with these settings. */
export const runAdminIn = Effect.fnUntraced(function* (
  env: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
) {
  const { kept, lines } = makeConsole()
  const exit = yield* Command.runWith(program, { version: VERSION })(args).pipe(
    Effect.provide(NodeServices.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.provideService(Console.Console, kept),
    // Logs go to standard error, and are not what is asked about here.
    Effect.provide(Logger.layer([])),
    Effect.exit
  )
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  const isSaid = [CommandFailed, CommandRefused, SettingInvalid, UsageInvalid].some((kind) => error instanceof kind)
  const outcome: Outcome = {
    code: exitCodeOf(exit),
    out: lines.out,
    err: lines.err + (isSaid && error instanceof Error ? `admin: ${error.message}\n` : "")
  }
  return outcome
})
