/** The programs of a Postgres that is installed on this machine: the embedded one comes without those for backups. */
import { execFileSync } from "node:child_process"
import { accessSync, constants, readdirSync } from "node:fs"
import { delimiter, join } from "node:path"

const PROGRAMS = ["initdb", "pg_ctl", "psql", "pg_dump", "pg_restore", "pg_basebackup", "pg_archivecleanup"]

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Where distributions put them, the latest version first. */
const packaged = (): ReadonlyArray<string> => {
  const top = "/usr/lib/postgresql"
  try {
    const versions = readdirSync(top).sort((one, other) => Number(other) - Number(one))
    return versions.map((version) => join(top, version, "bin"))
  } catch {
    return []
  }
}

/** The user to run Postgres as where this process is root: as root it refuses to run. */
const account = (): { readonly uid: number; readonly gid: number } | undefined => {
  try {
    const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: "pipe" }))
    return { uid: idOf("-u"), gid: idOf("-g") }
  } catch {
    return undefined
  }
}

/** A folder that has all of them, of one version, and the user to run them as; else a line about what is missing. */
export const findPostgresPrograms = () => {
  const folders = [...packaged(), ...(process.env["PATH"] ?? "").split(delimiter)]
  const folder = folders.find((one) => PROGRAMS.every((name) => isThere(join(one, name))))
  if (folder === undefined) return { missing: `${PROGRAMS.join(", ")} of one version of Postgres` }
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? account() : undefined
  return isRoot && user === undefined ? { missing: "the user postgres, to run it as" } : { folder, user }
}
