import { setTimeout } from "node:timers/promises"
import { type AppProcess, EXIT_CONFIGURATION, startApp } from "./AppProcess.ts"
import { type Identity, knownIdentity, localSecretsKey, writeCredentials } from "./credentials.ts"
import { openDataDir } from "./dataDir.ts"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./EmbeddedPostgres.ts"
import { killLeftovers, recordProcesses } from "./leftovers.ts"
import { takeLock } from "./processLock.mjs"
import { readSettings, requireFreePort, type Settings, SettingsError } from "./settings.ts"
import { tryOut } from "./tryOut.ts"

/** Brings the database to the present schema and makes, or finds again, what the credentials file names. */
export type Prepare = (options: {
  readonly databaseUrl: string
  readonly secretsKey: string
  readonly known: Identity | null
}) => Promise<Identity>

/** The parts that a platform on one machine is put together from. */
export interface PlatformParts {
  /** The root of the checkout: a relative DATA_DIR and the mains start there. */
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  readonly apps: ReadonlyArray<{ readonly name: string; readonly main: string; readonly args: ReadonlyArray<string> }>
  /** Asked for at once, so that it loads while Postgres starts. */
  readonly loadPrepare: () => Promise<Prepare>
}

const DRAIN_MILLISECONDS = 30_000
const READY_MILLISECONDS = 60_000
const POLL_MILLISECONDS = 20
/** A terminal, npm and the launcher may each pass on the same Ctrl-C: what follows so soon is no second one. */
const SAME_SIGNAL_MILLISECONDS = 1_000

const say = (line: string): void => {
  process.stderr.write(`agent-platform: ${line}\n`)
}

/** Ends the run with this exit code; the message is for the person who started it. */
class Ended extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

interface Database {
  readonly databaseUrl: string
  readonly secretsKey: string
}

const appEnvironment = (parts: PlatformParts, settings: Settings, database: Database): NodeJS.ProcessEnv => ({
  ...parts.environment,
  PORT: String(settings.port),
  HOST: settings.host,
  BASE_URL: settings.baseUrl,
  DATABASE_URL: database.databaseUrl,
  SECRETS_KEY: database.secretsKey,
  ...(settings.egressAllowLoopback === undefined ? {} : { EGRESS_ALLOW_LOOPBACK: settings.egressAllowLoopback })
})

const answersReady = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) })
    await response.body?.cancel()
    return response.status === 200
  } catch {
    return false
  }
}

/** Everything that runs, so that it can be stopped in order: the apps at once, Postgres after them, the lock last. */
const makeRun = () => {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  // Observed by the race below; until that is on, an early end must not count as unhandled.
  ended.catch(() => undefined)
  let stopping = false
  let killed = false
  const apps: Array<AppProcess> = []
  let postgres: Promise<EmbeddedPostgres> | undefined
  return {
    ended,
    end: (code: number, message: string) => {
      stopping = true
      reject(new Ended(code, message))
    },
    apps,
    isStopping: () => stopping,
    isKilled: () => killed,
    embed: (dataDir: string) => {
      postgres = startEmbeddedPostgres({ dataDir, say })
      return postgres
    },
    stop: async () => {
      stopping = true
      await Promise.all(apps.map((app) => app.stop(DRAIN_MILLISECONDS)))
      // One that is still starting is waited for; why one did not start has been said.
      await (await postgres?.catch(() => undefined))?.stop("fast")
    },
    kill: async () => {
      killed = true
      for (const app of apps) app.kill()
      await (await postgres?.catch(() => undefined))?.stop("immediate")
    }
  }
}

type Run = ReturnType<typeof makeRun>

const listenForSignals = (run: Run): void => {
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
  // A fault in here must not leave the apps and Postgres without anybody.
  process.on("uncaughtException", (error) => run.end(1, error.stack ?? error.message))
  // The launcher is gone, killed or not.
  process.once("disconnect", () => onSignal("the launcher is gone"))
  process.channel?.unref()
}

const startDatabase = async (run: Run, settings: Settings, dataDir: string): Promise<Database> => {
  if (settings.external !== undefined) return settings.external
  const postgres = await run.embed(dataDir)
  return { databaseUrl: postgres.url, secretsKey: settings.secretsKey ?? localSecretsKey(dataDir) }
}

const startApps = (run: Run, parts: PlatformParts, environment: NodeJS.ProcessEnv, dataDir: string): void => {
  const record = () =>
    recordProcesses(
      dataDir,
      run.apps.flatMap((app) => app.pid() ?? [])
    )
  for (const app of parts.apps) {
    const onFailure = (code: number, reason: string) => run.end(code, reason)
    run.apps.push(
      startApp({ ...app, root: parts.root, environment, say, onFailure, onSpawn: () => queueMicrotask(record) })
    )
  }
}

const becomeReady = async (run: Run, settings: Settings): Promise<void> => {
  await Promise.all(run.apps.map((app) => app.ready))
  while (!(await answersReady(settings.localUrl))) {
    if (run.isStopping()) return
    await setTimeout(POLL_MILLISECONDS)
  }
}

const bringUp = async (run: Run, parts: PlatformParts, settings: Settings, dataDir: string): Promise<void> => {
  await killLeftovers(dataDir, say)
  await requireFreePort(settings)
  const loading = parts.loadPrepare()
  loading.catch(() => undefined)
  const database = await startDatabase(run, settings, dataDir)
  const prepare = await loading
  const identity = await prepare({ ...database, known: knownIdentity(dataDir) })
  if (run.isStopping()) return
  startApps(run, parts, appEnvironment(parts, settings, database), dataDir)
  const late = setTimeout(READY_MILLISECONDS, undefined, { ref: false }).then(() => {
    throw new Error(
      `The platform was not ready within ${READY_MILLISECONDS / 1000} s; ${settings.localUrl}/readyz tells why.`
    )
  })
  await Promise.race([becomeReady(run, settings), late])
  if (run.isStopping()) return
  writeCredentials(dataDir, { base_url: settings.baseUrl, database_url: database.databaseUrl, ...identity })
  process.stdout.write(tryOut(parts.root, dataDir, settings.baseUrl))
}

const explain = (error: unknown): number => {
  if (error instanceof Ended) {
    if (error.message !== "") say(error.message)
    return error.code
  }
  say(error instanceof Error ? error.message : String(error))
  return error instanceof SettingsError ? EXIT_CONFIGURATION : 1
}

/**
 * Runs the platform until it is told to stop by SIGINT, SIGTERM, SIGHUP or the end of its launcher, and answers the exit
 * code: 0 after a stop that was asked for, 78 for a wrong setting, else 1. A second signal kills what has not ended.
 */
export const runPlatform = async (parts: PlatformParts): Promise<number> => {
  const run = makeRun()
  listenForSignals(run)
  let code = 0
  let release: (() => void) | undefined
  try {
    const settings = readSettings(parts.environment, parts.root)
    const dataDir = openDataDir(settings.dataDir)
    const lock = takeLock(`${dataDir}/start.lock`)
    if (!lock.taken)
      throw new Error(
        `DATA_DIR ${dataDir} is in use by another npm start, process ${lock.pid}. Stop that, or set DATA_DIR.`
      )
    release = lock.release
    await Promise.race([bringUp(run, parts, settings, dataDir), run.ended])
    await run.ended
  } catch (error) {
    code = explain(error)
  }
  await run.stop()
  release?.()
  return run.isKilled() ? 1 : code
}
