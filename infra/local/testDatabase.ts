/** The Postgres of a test run, and vitest's global setup, which starts it where a test file needs one. */
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./EmbeddedPostgres.ts"
import { dataFolderOf } from "./postgres/place.ts"
import { clearOrphan } from "./postgres/postmaster.ts"
import { takeLock } from "./processLock.mjs"

declare module "vitest" {
  interface ProvidedContext {
    /** A superuser's connection string of a Postgres that is there for the tests alone: make databases in it at will. */
    postgresUrl: string
  }
}

/** The test files that ask for `postgresUrl`. */
const NEEDS_POSTGRES = /\.postgres\.test\.ts$/

const quiet = () => undefined

const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })

/** Stops the servers and removes the folders of test runs that were killed. */
const clearKilledRuns = async (home: string): Promise<void> => {
  for (const name of readdirSync(home)) {
    const folder = join(home, name)
    const cluster = join(folder, "postgres")
    // Folders of other users and of live runs are left alone; one without a lock may be in the making.
    if (!existsSync(`${cluster}.lock`)) continue
    const lock = takeLock(`${cluster}.lock`)
    if (!lock.taken) continue
    if (existsSync(dataFolderOf(cluster))) await clearOrphan(dataFolderOf(cluster), quiet)
    removeFolder(folder)
  }
}

/** The folder for all test servers of this user; refuses one that somebody else could change the contents of. */
const openHome = (): string => {
  const home = join(tmpdir(), `agent-platform-tests-${userInfo().username}`)
  mkdirSync(home, { recursive: true, mode: 0o711 })
  const { mode, uid } = lstatSync(home)
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) {
    throw new Error(`${home} belongs to another user. Remove it, or set TMPDIR to another folder.`)
  }
  return home
}

/** A Postgres in a folder of its own under the system's temporary one; `stop` removes both. Its data may be lost in a crash. */
export const startTestPostgres = async (): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const home = openHome()
  await clearKilledRuns(home)
  const dataDir = mkdtempSync(join(home, "postgres-"))
  // Started by root, Postgres runs as another user, which has to pass through this folder.
  chmodSync(dataDir, 0o711)
  let postgres: EmbeddedPostgres
  try {
    postgres = await startEmbeddedPostgres({ dataDir, durable: false, say: (line) => console.error(line) })
  } catch (error) {
    removeFolder(dataDir)
    throw error
  }
  // A run that ends early, by Ctrl-C for one, takes its server along.
  const abandon = () => {
    process.kill(postgres.pid(), "SIGQUIT")
    removeFolder(dataDir)
  }
  process.once("exit", abandon)
  return {
    url: postgres.url,
    stop: async () => {
      process.off("exit", abandon)
      await postgres.stop("immediate")
      removeFolder(dataDir)
    }
  }
}

/** Whether this run holds a test file that needs Postgres; yes when vitest does not say what it was asked to run. */
const isNeeded = async (project: TestProject): Promise<boolean> => {
  const asked: unknown = Reflect.get(project.vitest, "filenamePattern")
  const files = await project.vitest.globTestSpecifications(Array.isArray(asked) ? asked.map(String) : undefined)
  return files.some(({ moduleId }) => NEEDS_POSTGRES.test(moduleId))
}

/** Vitest's global setup: provides `postgresUrl`, that of TEST_DATABASE_URL or of a Postgres made for this run. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined && given !== "") {
    project.provide("postgresUrl", given)
    return undefined
  }
  if (!(await isNeeded(project))) return undefined
  const postgres = await startTestPostgres()
  project.provide("postgresUrl", postgres.url)
  return postgres.stop
}
