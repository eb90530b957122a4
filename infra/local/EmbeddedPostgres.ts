/** The Postgres that `npm start`, tests and benches bring along: found or made in a folder, started, and restarted when it dies. */
import { existsSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { openDataDir } from "./dataDir.ts"
import { type Binaries, findBinaries } from "./postgres/binaries.ts"
import { ensureCluster, writeServerFile } from "./postgres/cluster.ts"
import { freePort } from "./postgres/freePort.ts"
import { dataFolderOf, type Place, placeOf } from "./postgres/place.ts"
import {
  clearOrphan,
  PostmasterFailed,
  type PostmasterOptions,
  startPostmaster,
  stopPostmaster
} from "./postgres/postmaster.ts"
import { APP, makeRoles, OWNER } from "./postgres/roles.ts"
import { type Lock, takeLock } from "./processLock.mjs"

/** How an embedded Postgres is to be run. */
export interface EmbeddedPostgresOptions {
  /** The folder that keeps it; made when missing. */
  readonly dataDir: string
  /** Takes one line each about what a person may want to know. */
  readonly say: (line: string) => void
  /** False gives up what protects the data when the machine stops, for tests; true by default. */
  readonly durable?: boolean
}

/** A running Postgres of our own. It is restarted on the same port when it ends without having been asked to. */
export interface EmbeddedPostgres {
  /** The superuser's connection string, password included. */
  readonly url: string
  /** The URLs of the owner of the tables and of the role of the apps. */
  readonly ownerUrl: string
  readonly appUrl: string
  /** The folder that holds the database. */
  readonly folder: string
  /** The server's process at this moment. */
  readonly pid: () => number
  /** Stops the server and frees the folder: "fast" ends connections and writes everything out, "immediate" leaves the rest to recovery. */
  readonly stop: (how: "fast" | "immediate") => Promise<void>
}

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_buffers: "128MB",
  max_connections: "200",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  jit: "off"
}
const DURABLE = { fsync: "on", full_page_writes: "on", synchronous_commit: "on" }
/** For tests, which lose nothing when the machine stops. */
const VOLATILE = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  // Test runs on two runtimes share one server, each test file with a pool of its own.
  max_connections: "400",
  // Passwords of tests protect nothing; at the usual 4096 they are half the cost of a connection, and tests open thousands.
  scram_iterations: "1"
}

const LOG_BYTES_MAX = 10_000_000

/** The wait before another try to start the server; where it has died, each is twice as long, up to the longest. */
const RETRY_MILLISECONDS = 100
const RESTART_MILLISECONDS_MAX = 5_000

/** How long one start is tried again. */
const START_MILLISECONDS_MAX = 15_000

const rotateLog = (path: string): void => {
  if (existsSync(path) && statSync(path).size > LOG_BYTES_MAX) renameSync(path, `${path}.1`)
}

const explain = (place: Place, binaries: Binaries, say: (line: string) => void): void => {
  const who = `Postgres does not run as root but as the user ${place.account?.name}`
  if (place.moved) say(`${who}, who may not enter DATA_DIR: the database lies in ${place.folder}`)
  for (const folder of place.abandoned) {
    say(`${folder} holds the database of an earlier DATA_DIR of this path; remove it when it is no longer wanted`)
  }
  if (binaries.copiedTo !== undefined)
    say(`${who}, who may not enter node_modules: the programs lie in ${binaries.copiedTo}`)
}

/** Starts the server. Tries again while a killed one still holds its files, and by `move` at another port where its own is taken. */
const startServer = async (options: PostmasterOptions, move?: () => Promise<number>) => {
  const deadline = Date.now() + START_MILLISECONDS_MAX
  let port = options.port
  for (;;) {
    try {
      return { port, server: await startPostmaster({ ...options, port }) }
    } catch (error) {
      if (!(error instanceof PostmasterFailed) || Date.now() > deadline) throw error
      if (
        /could not bind|could not create listen socket|could not create any/i.test(error.reason) &&
        move !== undefined
      )
        port = await move()
      else if (/still in use|already exists/.test(error.reason)) await setTimeout(RETRY_MILLISECONDS)
      else throw error
    }
  }
}

const superviseServer = (
  started: Awaited<ReturnType<typeof startServer>>,
  options: PostmasterOptions,
  say: (line: string) => void
) => {
  let server = started.server
  let stopping = false
  let restart: Promise<void> = Promise.resolve()

  const restartServer = async (): Promise<void> => {
    for (let wait = RETRY_MILLISECONDS; !stopping; wait = Math.min(wait * 2, RESTART_MILLISECONDS_MAX)) {
      try {
        server = (await startServer({ ...options, port: started.port })).server
        return watch()
      } catch (error) {
        say(error instanceof Error ? error.message : String(error))
        await setTimeout(wait)
      }
    }
  }

  const watch = (): void => {
    server.once("exit", (code, signal) => {
      if (stopping) return
      say(`Postgres ended without being asked to (${signal ?? `exit code ${code}`}); restarting it`)
      restart = restartServer()
    })
  }

  watch()
  return {
    pid: () => server.pid,
    stop: async (how: "fast" | "immediate"): Promise<void> => {
      stopping = true
      await restart
      if (server.exitCode === null && server.signalCode === null) await stopPostmaster(server.pid, how)
    }
  }
}

const start = async (
  options: EmbeddedPostgresOptions,
  dataDir: string,
  place: Place,
  lock: Lock & { readonly taken: true }
) => {
  const durable = options.durable ?? true
  const binaries = findBinaries(place.account)
  explain(place, binaries, options.say)
  const found = await ensureCluster(place, binaries, durable)
  await clearOrphan(dataFolderOf(place.folder), options.say)
  const roles = found.roles ?? makeRoles(place, binaries)
  const file = { ...found, roles }
  if (found.roles === undefined) writeServerFile(place.folder, file)
  const logFile = join(dataDir, "postgres.log")
  rotateLog(logFile)
  const settings = { ...SETTINGS, ...(durable ? DURABLE : VOLATILE) }
  const port = await freePort(file.port)
  const postmaster = {
    binaries,
    account: place.account,
    dataFolder: dataFolderOf(place.folder),
    port,
    settings,
    logFile
  }
  const started = await startServer(postmaster, () => freePort())
  if (started.port !== file.port) writeServerFile(place.folder, { ...file, port: started.port })
  const server = superviseServer(started, postmaster, options.say)
  const urlOf = (role: string, password: string) => `postgres://${role}:${password}@127.0.0.1:${started.port}/postgres`
  return {
    url: urlOf("postgres", file.password),
    ownerUrl: urlOf(OWNER, roles.owner),
    appUrl: urlOf(APP, roles.app),
    folder: place.folder,
    pid: server.pid,
    stop: async (how: "fast" | "immediate") => {
      await server.stop(how)
      lock.release()
    }
  }
}

/**
 * Starts the Postgres of this folder, made first when there is none, and waits until it takes connections. What a killed
 * start left behind is cleared: a server that still runs, a stale pid file, a half-made database. It listens on 127.0.0.1
 * alone, and every connection needs the password. Fails when another live process has the folder.
 */
export const startEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const dataDir = openDataDir(options.dataDir)
  const place = placeOf(dataDir)
  const lock = takeLock(`${place.folder}.lock`)
  if (!lock.taken) throw new Error(`The database in ${place.folder} is in use by process ${lock.pid}.`)
  try {
    return await start(options, dataDir, place, lock)
  } catch (error) {
    lock.release()
    throw error
  }
}
