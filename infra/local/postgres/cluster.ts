/** The data folder of the embedded Postgres, made by initdb, and the facts that are kept beside it. */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { moveDurably, writeDurably } from "../durableFile.ts"
import { type Account, asAccount } from "./account.ts"
import type { Binaries } from "./binaries.ts"
import { postgresEnvironment } from "./environment.ts"
import { dataFolderOf, type Place } from "./place.ts"
import type { RolePasswords } from "./roles.ts"

/** Facts about a cluster that are kept besides its data. */
export interface ServerFile {
  /** The superuser's. */
  readonly password: string
  /** Undefined until the roles are made. */
  readonly roles: RolePasswords | undefined
  /** The port it was last given on 127.0.0.1. */
  readonly port: number | undefined
}

const REMOVAL_MILLISECONDS = 10_000
const POLL_MILLISECONDS = 20

const serverFilePath = (folder: string): string => join(folder, "server.json")

const readServerFile = (folder: string): ServerFile => {
  const path = serverFilePath(folder)
  const content: unknown = JSON.parse(readFileSync(path, "utf8"))
  if (content === null || typeof content !== "object" || !("password" in content)) {
    throw new Error(`${path} holds no password for the database beside it.`)
  }
  const port = "port" in content && typeof content.port === "number" ? content.port : undefined
  const roles = "roles" in content ? (content.roles as RolePasswords) : undefined
  return { password: String(content.password), roles, port }
}

/** Remembers what changed; readable by the owner alone. */
export const writeServerFile = (folder: string, file: ServerFile): void =>
  writeDurably(serverFilePath(folder), `${JSON.stringify(file)}\n`)

const runInitdb = (binaries: Binaries, account: Account | undefined, folder: string, durable: boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      binaries.initdb,
      [
        ["-D", dataFolderOf(folder)],
        ["-U", "postgres", "--auth=scram-sha-256", `--pwfile=${join(folder, "password")}`],
        // The builtin provider sorts alike on every system and needs no locale of it.
        ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
        ["--no-instructions", ...(durable ? [] : ["--no-sync"])]
      ].flat(),
      { ...asAccount(account), cwd: folder, env: postgresEnvironment(), stdio: ["ignore", "pipe", "pipe"] }
    )
    const output: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk))
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`initdb failed in ${folder}:\n${Buffer.concat(output).toString("utf8")}`))
    )
  })

const removeWhole = async (folder: string): Promise<void> => {
  const deadline = Date.now() + REMOVAL_MILLISECONDS
  for (;;) {
    try {
      rmSync(folder, { recursive: true, force: true })
      if (!existsSync(folder)) return
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
    await setTimeout(POLL_MILLISECONDS)
  }
}

/**
 * Removes what initialisations that were killed half-way have left. An initdb whose starter was killed may still be
 * writing: it fails or ends in a moment.
 */
const removeDrafts = async (folder: string): Promise<void> => {
  for (const name of readdirSync(dirname(folder))) {
    if (name.startsWith(`${basename(folder)}.new-`)) await removeWhole(join(dirname(folder), name))
  }
}

const give = (path: string, account: Account | undefined): void => {
  if (account !== undefined) chownSync(path, account.uid, account.gid)
}

const create = async (place: Place, binaries: Binaries, durable: boolean): Promise<void> => {
  const draft = `${place.folder}.new-${randomBytes(4).toString("hex")}`
  mkdirSync(draft)
  try {
    // The account passes through to its data folder, and everything beside that stays with us.
    chmodSync(draft, place.account === undefined ? 0o700 : 0o711)
    const password = randomBytes(24).toString("base64url")
    writeFileSync(join(draft, "password"), password, { mode: 0o600 })
    give(join(draft, "password"), place.account)
    mkdirSync(dataFolderOf(draft), { mode: 0o700 })
    give(dataFolderOf(draft), place.account)
    await runInitdb(binaries, place.account, draft, durable)
    rmSync(join(draft, "password"))
    writeServerFile(draft, { password, roles: undefined, port: undefined })
    moveDurably(draft, place.folder)
  } catch (error) {
    await removeWhole(draft)
    throw error
  }
}

/**
 * The cluster at this place, made first when there is none: whole or not at all, so that a killed start leaves nothing
 * that the next would take for a cluster. Only for the holder of the cluster's lock. Fails when the cluster is of another
 * major version of Postgres, or when something else lies at its place.
 */
export const ensureCluster = async (place: Place, binaries: Binaries, durable: boolean): Promise<ServerFile> => {
  await removeDrafts(place.folder)
  const versionFile = join(dataFolderOf(place.folder), "PG_VERSION")
  if (!existsSync(versionFile)) {
    if (existsSync(place.folder)) throw new Error(`${place.folder} exists and holds no database. Move it away.`)
    await create(place, binaries, durable)
  }
  const version = readFileSync(versionFile, "utf8").trim()
  if (version !== binaries.majorVersion) {
    throw new Error(
      `The database in ${place.folder} was made by Postgres ${version} and this is Postgres ${binaries.majorVersion}. ` +
        "Bring it over with pg_dump and pg_restore of the old version, or set DATA_DIR to another folder."
    )
  }
  return readServerFile(place.folder)
}
