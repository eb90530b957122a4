/** Everything that `npm start` has running, and its end: by a signal or a fault, in order or at once. */
import type { AppProcess } from "./AppProcess.ts"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./EmbeddedPostgres.ts"

const DRAIN_MILLISECONDS = 30_000
/** A terminal, npm and the launcher may each pass on the same Ctrl-C: what follows so soon is no second one. */
const SAME_SIGNAL_MILLISECONDS = 1_000

/** Says a line to the person who started the platform. */
export const say = (line: string): void => {
  process.stderr.write(`agent-platform: ${line}\n`)
}

/** The platform has to stop: the exit code, and why if that is not known already. */
export class Ended extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Everything that runs, so that it can be stopped in order. */
export interface Run {
  readonly apps: Array<AppProcess>
  /** Rejects with Ended as soon as the platform has to stop. */
  readonly ended: Promise<never>
  readonly end: (code: number, message: string) => void
  readonly isStopping: () => boolean
  readonly isKilled: () => boolean
  readonly embed: (dataDir: string) => Promise<EmbeddedPostgres>
  /** Drains the apps at the same time, and then stops Postgres. */
  readonly stop: () => Promise<void>
  /** Kills the apps, and stops Postgres without its last writing. */
  readonly kill: () => Promise<void>
}

/** A run with nothing in it yet. */
export const makeRun = (): Run => {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  // An end that comes before anybody waits for it is no unhandled rejection.
  ended.catch(() => undefined)
  const apps: Array<AppProcess> = []
  let stopping = false
  let killed = false
  let postgres: Promise<EmbeddedPostgres> | undefined
  // A Postgres that is still starting is waited for; why one did not start has been said.
  const stopPostgres = async (how: "fast" | "immediate") => (await postgres?.catch(() => undefined))?.stop(how)
  const run: Run = {
    apps,
    ended,
    end: (code, message) => {
      stopping = true
      reject(new Ended(code, message))
    },
    isStopping: () => stopping,
    isKilled: () => killed,
    embed: (dataDir) => {
      postgres = startEmbeddedPostgres({ dataDir, say })
      return postgres
    },
    stop: async () => {
      stopping = true
      await Promise.all(apps.map((app) => app.stop(DRAIN_MILLISECONDS)))
      await stopPostgres("fast")
    },
    kill: async () => {
      killed = true
      for (const app of apps) app.kill()
      await stopPostgres("immediate")
    }
  }
  return run
}

/** Ends the run at the first signal and kills it at a second. The end of the launcher counts as a signal. */
export const listenForSignals = (run: Run): void => {
  let first: number | undefined
  const onSignal = (signal: string) => {
    const now = performance.now()
    if (first === undefined) {
      first = now
      say(`${signal}: stopping`)
      run.end(0, "")
    } else if (now - first > SAME_SIGNAL_MILLISECONDS) {
      say("killing everything")
      void run.kill().finally(() => process.exit(1))
    }
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => onSignal(signal))
  process.once("disconnect", () => onSignal("the launcher is gone"))
  process.channel?.unref()
  // A fault in here must not leave the apps and Postgres without anybody.
  process.on("uncaughtException", (error) => run.end(1, error.stack ?? error.message))
}
