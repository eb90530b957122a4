/** One app of `npm start` as a process that is kept running: restarted when it dies, and stopped when it is asked to. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"

/** The exit code of an app that cannot run with the settings it was given; it has said why. */
export const EXIT_CONFIGURATION = 78

const PRELOAD = fileURLToPath(new URL("./appPreload.ts", import.meta.url))
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
  /** Flags of its Node. */
  readonly flags: ReadonlyArray<string>
  /** A module that holds nearly all of the app's code and does nothing by itself: it is loaded before the go. */
  readonly warmUp?: string
  readonly root: string
  /** The part of its environment that is known from the beginning. */
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
  /** Asks the module that the app has loaded before its go; fails with what it says, or when the app ends. */
  readonly ask: (question: object) => Promise<unknown>
  /** Lets the app begin, with this in its environment as well. */
  readonly go: (environment: NodeJS.ProcessEnv) => void
  /** Resolves when the app has said for the first time that it is ready. */
  readonly ready: Promise<void>
  /** Sends SIGTERM, and SIGKILL when it has not ended after that time. */
  readonly stop: (graceMilliseconds: number) => Promise<void>
  /** Sends SIGKILL. */
  readonly kill: () => void
}

const saysReady = (message: unknown): boolean =>
  message !== null && typeof message === "object" && "ready" in message && message.ready === true

const question = (child: ChildProcess, name: string, message: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    child.on("message", (answer: { readonly answer?: unknown; readonly failure?: string }) => {
      if (answer.failure !== undefined) reject(new Error(answer.failure))
      else if (answer.answer !== undefined) resolve(answer.answer)
    })
    child.once("exit", () => reject(new Error(`The ${name} ended before it had answered.`)))
    child.send(message, () => undefined)
  })

/** Spawns the app. With `rest` in its environment it begins at once; without, it loads its modules and waits for a message with it. */
const spawnApp = (app: AppOptions, rest: NodeJS.ProcessEnv | undefined): ChildProcess => {
  // By this variable `appPreload.ts` has the app wait, and loads the module meanwhile.
  const held = { AGENT_PLATFORM_WARM_UP: app.warmUp === undefined ? "" : join(app.root, app.warmUp) }
  // A process session of its own: the terminal's Ctrl-C reaches the starter alone, which stops the apps in order.
  return spawn(process.execPath, [...app.flags, "--import", PRELOAD, join(app.root, app.main), ...app.args], {
    cwd: app.root,
    env: { ...app.environment, ...(rest ?? held) },
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
}

/**
 * Starts an app, which waits for its go, and restarts it when it dies, with a delay that doubles with every death in a row. Gives
 * up after exit code 78, and after repeated deaths before the app was ever ready.
 */
export const startApp = (options: AppOptions): AppProcess => {
  const { name, onFailure, say } = options
  const { promise: ready, resolve: becomeReady } = Promise.withResolvers<void>()
  let child: ChildProcess
  /** The environment that `go` has added; undefined until then. */
  let rest: NodeJS.ProcessEnv | undefined
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
    child = spawnApp(options, rest)
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
    ask: (message) => question(child, name, message),
    go: (environment) => {
      rest = environment
      // A process that is just ending cannot be notified; the next one gets it from the start.
      child.send({ environment }, () => undefined)
    },
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
