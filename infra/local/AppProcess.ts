import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"

/** The exit code of an app that cannot run with the settings it was given; it has said why. */
export const EXIT_CONFIGURATION = 78

const FOLLOW_PARENT = fileURLToPath(new URL("./followParent.ts", import.meta.url))
const RESTART_MILLISECONDS = 200
const RESTART_MILLISECONDS_MAX = 5_000
/** Deaths before an app has been ready once, after which it is given up. */
const DEATHS_BEFORE_READY_MAX = 4

/** How one app is run. */
export interface AppOptions {
  readonly name: string
  /** Its main file, from the root of the checkout. */
  readonly main: string
  readonly args: ReadonlyArray<string>
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  readonly say: (line: string) => void
  /** Called with each new process. */
  readonly onSpawn: () => void
  /** Called once when the app cannot be kept running: the exit code to end with, and why. */
  readonly onFailure: (code: number, reason: string) => void
}

/** An app that is kept running until it is stopped. */
export interface AppProcess {
  readonly name: string
  /** Its process at this moment, or undefined between two. */
  readonly pid: () => number | undefined
  /** Ends when the app has said for the first time that it is ready. */
  readonly ready: Promise<void>
  /** Sends SIGTERM, and SIGKILL when it has not ended after that time. */
  readonly stop: (graceMilliseconds: number) => Promise<void>
  /** Sends SIGKILL. */
  readonly kill: () => void
}

const saysReady = (message: unknown): boolean =>
  message !== null && typeof message === "object" && "ready" in message && message.ready === true

const spawnApp = ({ args, environment, main, root }: AppOptions): ChildProcess =>
  // A process session of its own: the terminal's Ctrl-C reaches the starter alone, which stops the apps in order.
  spawn(process.execPath, ["--import", FOLLOW_PARENT, join(root, main), ...args], {
    cwd: root,
    env: environment,
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })

/**
 * Starts an app and keeps it running: one that dies is started again, after a moment that doubles with every death in a
 * row. One that ends with exit code 78, or that dies again and again before it was ever ready, is given up.
 */
export const startApp = (options: AppOptions): AppProcess => {
  const { name, onFailure, say } = options
  const { promise: ready, resolve: becomeReady } = Promise.withResolvers<void>()
  let child: ChildProcess
  let everReady = false
  let stopping = false
  let deaths = 0
  let ended: Promise<void> = Promise.resolve()

  const revive = async (how: string): Promise<void> => {
    deaths++
    if (!everReady && deaths >= DEATHS_BEFORE_READY_MAX) {
      return onFailure(1, `The ${name} ended ${deaths} times before it was ready (last: ${how}).`)
    }
    const wait = Math.min(RESTART_MILLISECONDS * 2 ** (deaths - 1), RESTART_MILLISECONDS_MAX)
    say(`the ${name} ended without being asked to (${how}); starting it again in ${wait} ms`)
    await setTimeout(wait)
    if (!stopping) run()
  }

  const run = (): void => {
    child = spawnApp(options)
    options.onSpawn()
    const { promise, resolve } = Promise.withResolvers<void>()
    ended = promise
    child.on("message", (message) => {
      if (!saysReady(message)) return
      everReady = true
      deaths = 0
      becomeReady()
    })
    child.once("error", (error) => {
      resolve()
      if (!stopping) onFailure(1, `The ${name} cannot be started: ${error.message}`)
    })
    child.once("exit", (code, signal) => {
      resolve()
      if (stopping) return
      if (code === EXIT_CONFIGURATION) onFailure(EXIT_CONFIGURATION, `The ${name} cannot run with these settings.`)
      else void revive(signal ?? `exit code ${code}`)
    })
  }

  run()
  return {
    name,
    pid: () => (child.exitCode === null && child.signalCode === null ? child.pid : undefined),
    ready,
    stop: async (graceMilliseconds) => {
      stopping = true
      child.kill("SIGTERM")
      const timer = new AbortController()
      const late = setTimeout(graceMilliseconds, undefined, { signal: timer.signal }).then(
        () => {
          say(`the ${name} has not ended ${graceMilliseconds / 1000} s after SIGTERM; killing it`)
          child.kill("SIGKILL")
          return ended
        },
        () => undefined
      )
      await Promise.race([ended, late])
      timer.abort()
    },
    kill: () => {
      stopping = true
      child.kill("SIGKILL")
    }
  }
}
