/** The common part of the tests of `npm start`: folders, processes and files to wait for. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { programBundle } from "../appBundles.ts"
import { startEmbeddedPostgres } from "../EmbeddedPostgres.ts"
import { freePort } from "../postgres/freePort.ts"
import { processIdentity } from "../processLock.mjs"

/** A folder that is gone when the test is over; open for passing through, because root's Postgres runs as another user. */
export const temporaryFolder = (mode = 0o711): string => {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-test-"))
  chmodSync(folder, mode)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/** A DATA_DIR with a database that was stopped, made once for a file of tests; each test takes a copy. */
export const databaseToCopy = (): (() => string) => {
  let original = ""
  beforeAll(async () => {
    original = mkdtempSync(join(tmpdir(), "agent-platform-test-"))
    chmodSync(original, 0o711)
    const postgres = await startEmbeddedPostgres({ dataDir: original, durable: false, say: () => undefined })
    await postgres.stop("fast")
  })
  afterAll(() => rmSync(original, { recursive: true, force: true }))
  return () => {
    const folder = join(temporaryFolder(), "data")
    // Owners and modes matter to Postgres, and fs.cp does not keep them.
    spawnSync("cp", ["-a", original, folder])
    return folder
  }
}

/** Waits until `look` answers something, and answers that. */
export const until = async <A>(look: () => A | undefined | false | Promise<A | undefined | false>): Promise<A> => {
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    await setTimeout(5)
  }
}

/** The lines of a file, none when it is not there. */
export const linesOf = (path: string): ReadonlyArray<string> =>
  existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : []

/** A process under test and what it has written. */
export interface Staged {
  readonly child: ChildProcess & { readonly pid: number }
  readonly out: () => string
  readonly err: () => string
  readonly exit: Promise<number | NodeJS.Signals>
}

/**
 * Runs a fixture on this Node, as a bundle, since most of its start would go to finding modules of packages. It is stopped, and with
 * it all that it has started, when the test is over.
 */
export const stage = async (
  name: string,
  args: ReadonlyArray<string>,
  environment: NodeJS.ProcessEnv
): Promise<Staged> => {
  const { main } = await programBundle(`infra/local/test/fixtures/${name}`)
  const child = spawn(process.execPath, [main, ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let out = ""
  let err = ""
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8")
  })
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString("utf8")
  })
  const { promise, resolve } = Promise.withResolvers<number | NodeJS.Signals>()
  child.once("close", (code, signal) => resolve(signal ?? code ?? 1))
  onTestFinished(async () => {
    child.kill("SIGTERM")
    await promise
  })
  return { child: child as Staged["child"], out: () => out, err: () => err, exit: promise }
}

/** A platform of stand-ins over a DATA_DIR of its own, on a free port. */
export interface StagedPlatform extends Staged {
  readonly dataDir: string
  readonly port: number
  /** The lines that the stand-ins have recorded. */
  readonly record: () => ReadonlyArray<string>
  /** Waits for the ready text; fails when the platform ends before. */
  readonly ready: () => Promise<void>
}

/** Starts `npm start` with stand-ins for the apps. */
export const stagePlatform = async (environment: NodeJS.ProcessEnv = {}): Promise<StagedPlatform> => {
  const dataDir = environment.DATA_DIR ?? temporaryFolder()
  const port = environment.PORT === undefined ? await freePort() : Number(environment.PORT)
  const recordFile = join(dataDir, "record")
  const staged = await stage("start.ts", [], {
    PATH: process.env.PATH,
    PORT: String(port),
    DATA_DIR: dataDir,
    FIXTURE_RECORD: recordFile,
    ...environment
  })
  let ended = false
  void staged.exit.then(() => {
    ended = true
  })
  const ready = async () => {
    const outcome = await until(() => staged.out().includes("is ready on") || (ended && "ended"))
    if (outcome === "ended") throw new Error(`The platform ended: ${staged.err()}`)
  }
  return { ...staged, dataDir, port, record: () => linesOf(recordFile), ready }
}

/** Whether a process with this pid runs. */
export const runs = (pid: number): boolean => processIdentity(pid) !== undefined

/** The rows of one statement, over a connection of its own. */
export const query = (url: string, statement: string): Promise<ReadonlyArray<Record<string, unknown>>> =>
  SqlClient.SqlClient.use((sql) => sql.unsafe<Record<string, unknown>>(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url) })),
    Effect.scoped,
    Effect.runPromise
  )
