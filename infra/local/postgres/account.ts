import { spawnSync } from "node:child_process"
import { statSync } from "node:fs"

/** An account of this machine that Postgres can run as. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const CANDIDATES = ["postgres", "nobody"]

const idOf = (flag: "-u" | "-g", name: string): number | undefined => {
  const { status, stdout } = spawnSync("id", [flag, name], { encoding: "utf8" })
  return status === 0 ? Number(stdout.trim()) : undefined
}

const accountNamed = (name: string): Account | undefined => {
  const uid = idOf("-u", name)
  const gid = idOf("-g", name)
  return uid === undefined || gid === undefined ? undefined : { name, uid, gid }
}

const ownerOf = (folder: string): Account => {
  const { gid, uid } = statSync(folder)
  if (uid === 0) throw new Error(`${folder} belongs to root, and Postgres refuses to run as root.`)
  const { status, stdout } = spawnSync("id", ["-un", String(uid)], { encoding: "utf8" })
  return { name: status === 0 ? stdout.trim() : String(uid), uid, gid }
}

/**
 * The account that Postgres has to run as, or undefined when that is the one of this process. Postgres refuses root: for
 * root it is the owner of the existing data folder if one is given, else `postgres`, else `nobody`. Fails when there is
 * none of them.
 */
export const databaseAccount = (existingDataFolder?: string): Account | undefined => {
  if (process.getuid?.() !== 0) return undefined
  if (existingDataFolder !== undefined) return ownerOf(existingDataFolder)
  for (const name of CANDIDATES) {
    const account = accountNamed(name)
    if (account !== undefined) return account
  }
  throw new Error(
    "Postgres refuses to run as root, and this machine has neither a user postgres nor a user nobody. " +
      "Start as an ordinary user, or set DATABASE_URL to a Postgres of your own."
  )
}

/** The options that make a child process run as the account, without any other group; none for undefined. */
export const asAccount = (account: Account | undefined): { readonly uid?: number; readonly gid?: number } =>
  account === undefined ? {} : { uid: account.uid, gid: account.gid }

/** Whether the account may enter the folder, asked of the system itself: every folder above it counts too. */
export const canEnter = (folder: string, account: Account | undefined): boolean => {
  if (account === undefined) return true
  const options = { ...asAccount(account), cwd: "/" }
  return spawnSync("/bin/sh", ["-c", 'cd -- "$1"', "sh", folder], options).status === 0
}
