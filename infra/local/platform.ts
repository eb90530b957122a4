/** `npm start` from its settings to its exit code: who is started in which order, and who is waited for. */
import { get } from "node:http"
import { setImmediate, setTimeout } from "node:timers/promises"
import { type AppOptions, type AppProcess, EXIT_CONFIGURATION, startApp } from "./AppProcess.ts"
import { buildPage, type PagePart } from "./buildPage.ts"
import {
  credentialsPath,
  type Identity,
  identityIn,
  knownIdentity,
  localSecretsKey,
  writeCredentials
} from "./credentials.ts"
import { openDataDir } from "./dataDir.ts"
import { killLeftovers, recordProcesses } from "./leftovers.ts"
import { freePort } from "./postgres/freePort.ts"
import type { PrepareOptions } from "./prepareAnswer.ts"
import { takeLock } from "./processLock.mjs"
import { Ended, listenForSignals, makeRun, type Run, say } from "./Run.ts"
import { readSettings, requireFreePort, type Settings, SettingsError } from "./settings.ts"
import { listenerPortOf, makeStartLink } from "./startLink.ts"
import { tryOut } from "./tryOut.ts"

type AppPart = Pick<AppOptions, "name" | "main" | "args" | "flags" | "warmUp">

/** The parts that a platform on one machine is put together from. */
export interface PlatformParts {
  /** The root of the checkout: a relative DATA_DIR and the mains start there. */
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  /** The app that prepares the database before any begins: its `warmUp` module answers (see prepareAnswer.ts). */
  readonly preparer: AppPart
  readonly apps: ReadonlyArray<AppPart>
  /** Makes few files of the apps, which start faster. */
  readonly bundle?: (parts: PlatformParts) => Promise<PlatformParts>
  /** The dashboard, which is built while the others start. */
  readonly page?: PagePart
}

const READY_MILLISECONDS = 60_000
const POLL_MILLISECONDS = 10

/** Each app has a port of its own for its metrics: the API METRICS_PORT, and the others those that follow. */
const metricsOf = ({ METRICS_PORT = "" }: NodeJS.ProcessEnv, place: number): NodeJS.ProcessEnv =>
  /^\d{1,5}$/.test(METRICS_PORT) ? { METRICS_PORT: String(Number(METRICS_PORT) + place) } : {}

const appEnvironment = (parts: PlatformParts, settings: Settings): NodeJS.ProcessEnv => ({
  ...parts.environment,
  // The owner of the tables is for migrations alone.
  DATABASE_OWNER_URL: undefined,
  // Each start makes its own.
  START_LINK: undefined,
  PORT: String(settings.port),
  HOST: settings.host,
  BASE_URL: settings.baseUrl,
  DEMO_AGENT: settings.demoAgent,
  ...(settings.egressAllowLoopback === undefined ? {} : { EGRESS_ALLOW_LOOPBACK: settings.egressAllowLoopback })
})

const startApps = (run: Run, parts: PlatformParts, environment: NodeJS.ProcessEnv, dataDir: string): AppProcess => {
  const record = () =>
    recordProcesses(
      dataDir,
      run.apps.flatMap((app) => app.pid() ?? [])
    )
  const start = (app: AppPart, place: number): AppProcess => {
    const started = startApp({
      ...app,
      root: parts.root,
      environment: { ...environment, ...metricsOf(environment, place) },
      say,
      onFailure: (code, reason) => run.end(code, reason),
      // Called before `startApp` returns, and the app is to be among those that are recorded.
      onSpawn: () => queueMicrotask(record)
    })
    run.apps.push(started)
    return started
  }
  const preparer = start(parts.preparer, parts.apps.length)
  parts.apps.forEach(start)
  return preparer
}

const startDatabase = async (run: Run, settings: Settings, dataDir: string) => {
  if (settings.external !== undefined) return settings.external
  const postgres = await run.embed(dataDir)
  const secretsKey = settings.secretsKey ?? localSecretsKey(dataDir)
  return { databaseUrl: postgres.appUrl, databaseOwnerUrl: postgres.ownerUrl, secretsKey }
}

/** Who has exported DATABASE_URL for the admin program has not asked for another database than that of `npm start`. */
const explainGiven = (error: unknown): never => {
  if (!(error instanceof Error && error.message.startsWith("The database cannot be reached"))) throw error
  const why = "DATABASE_URL is set here, so npm start brings no Postgres of its own"
  throw new Error(`${error.message}. ${why}: \`unset DATABASE_URL SECRETS_KEY\` for that.`)
}

const prepare = async (preparer: AppProcess, settings: Settings, options: PrepareOptions): Promise<Identity> => {
  const asked = preparer.ask({ prepare: options })
  const identity = identityIn(await (settings.external === undefined ? asked : asked.catch(explainGiven)))
  if (identity === null) throw new Error("The database was prepared without all that credentials.json has to name.")
  return identity
}

const statusOf = (url: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 5_000 }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.once("timeout", () => request.destroy())
    request.once("error", () => resolve(undefined))
  })

const becomeReady = async (run: Run, settings: Settings): Promise<void> => {
  await Promise.all(run.apps.map((app) => app.ready))
  while (!run.isStopping() && (await statusOf(`${settings.localUrl}/readyz`)) !== 200) {
    await setTimeout(POLL_MILLISECONDS)
  }
}

const inTime = async (ready: Promise<void>, settings: Settings): Promise<void> => {
  const late = setTimeout(READY_MILLISECONDS, "late" as const, { ref: false })
  if ((await Promise.race([ready, late])) !== "late") return
  const seconds = READY_MILLISECONDS / 1000
  throw new Error(`The platform was not ready within ${seconds} s; ${settings.localUrl}/readyz may say why.`)
}

const startPlatform = async (run: Run, parts: PlatformParts, settings: Settings, dataDir: string): Promise<void> => {
  await killLeftovers(dataDir, say)
  await requireFreePort(settings)
  // The apps load their code while Postgres starts and the page is built. Loading takes the longest, so the other two begin a moment
  // later: where the bundles are there, the apps are spawned first.
  const bundling = parts.bundle?.(parts)
  const others = setImmediate()
  const starting = others.then(() => startDatabase(run, settings, dataDir))
  const building = others.then(() => buildPage(parts))
  // Whether these succeed is looked at below, and must not go unseen until then.
  starting.catch(() => undefined)
  building.catch(() => undefined)
  const apps = (await bundling) ?? parts
  if (run.isStopping()) return
  const preparer = startApps(run, apps, appEnvironment(apps, settings), dataDir)
  const database = await starting
  const identity = await prepare(preparer, settings, { ...database, known: knownIdentity(dataDir) })
  if (run.isStopping()) return
  const { databaseOwnerUrl, databaseUrl, secretsKey } = database
  // Before any app can say that it is ready: a script that waits for /readyz finds the file.
  const urls = { base_url: settings.baseUrl, database_url: databaseUrl, database_owner_url: databaseOwnerUrl }
  writeCredentials(dataDir, { ...urls, ...identity })
  const link = settings.isLocal
    ? makeStartLink(settings.baseUrl, identity, await freePort(listenerPortOf(settings)), credentialsPath(dataDir))
    : undefined
  const given = { DATABASE_URL: databaseUrl, SECRETS_KEY: secretsKey }
  for (const app of run.apps) app.go(link === undefined ? given : { ...given, START_LINK: link.setting })
  await inTime(becomeReady(run, settings), settings)
  await building
  if (run.isStopping()) return
  process.stdout.write(tryOut(settings, parts.root, dataDir, link?.url))
}

/** The check of a database's URL. Its modules take half a second to load, and are left out where no URL is set. */
const flawOfDatabaseUrls = async ({ DATABASE_URL }: NodeJS.ProcessEnv) =>
  DATABASE_URL ? (await import("./databaseUrlFlaw.ts")).databaseUrlFlaw : () => undefined

const holdDataDir = (settings: Settings) => {
  const dataDir = openDataDir(settings.dataDir)
  const lock = takeLock(`${dataDir}/start.lock`)
  if (lock.taken) return { dataDir, release: lock.release }
  throw new Error(
    `DATA_DIR ${dataDir} is in use by another npm start, process ${lock.pid}. Stop that, or set DATA_DIR.`
  )
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
 * Runs the platform until it is stopped by SIGINT, SIGTERM, SIGHUP or the end of its launcher, and answers the exit
 * code: 0 after a stop that was asked for, 78 for a wrong setting, else 1. A second signal kills what has not ended.
 */
export const runPlatform = async (parts: PlatformParts): Promise<number> => {
  const run = makeRun()
  listenForSignals(run)
  let code = 0
  let release: (() => void) | undefined
  try {
    const flawOf = await flawOfDatabaseUrls(parts.environment)
    const settings = readSettings(parts.environment, parts.root, flawOf)
    const held = holdDataDir(settings)
    release = held.release
    await Promise.race([startPlatform(run, parts, settings, held.dataDir), run.ended])
    await run.ended
  } catch (error) {
    code = explain(error)
  }
  await run.stop()
  release?.()
  return run.isKilled() ? 1 : code
}
