import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { asAccount } from "./account.ts"
import type { Binaries } from "./binaries.ts"
import { postgresEnvironment } from "./environment.ts"
import { dataFolderOf, type Place } from "./place.ts"

/** The role that owns the tables, and the one that the apps connect as. */
export const OWNER = "agent_platform_owner"
export const APP = "agent_platform"

/** The passwords of the two. */
export interface RolePasswords {
  readonly owner: string
  readonly app: string
}

const role = (name: string, password: string): ReadonlyArray<string> => [
  `do $$ begin if not exists (select from pg_roles where rolname = '${name}') then create role ${name}; end if; end $$`,
  `alter role ${name} login password '${password}'`
]

const statements = ({ app, owner }: RolePasswords): ReadonlyArray<string> => [
  ...role(OWNER, owner),
  ...role(APP, app),
  `alter database postgres owner to ${OWNER}`,
  "revoke create, temporary on database postgres from public"
]

/**
 * Makes the roles in a cluster whose server does not run, by the server's single-user mode: nobody has to connect as the superuser.
 * Fails with Postgres' own words.
 */
export const makeRoles = (place: Place, binaries: Binaries): RolePasswords => {
  const passwords = { owner: randomBytes(24).toString("base64url"), app: randomBytes(24).toString("base64url") }
  // A statement that fails must not be logged: it may hold a password.
  const options = ["-c", "exit_on_error=on", "-c", "log_min_error_statement=panic"]
  // In this mode a statement is a line.
  const input = statements(passwords).map((one) => `${one.replaceAll(/\s+/g, " ")}\n`)
  const { error, status, stderr } = spawnSync(
    binaries.postgres,
    ["--single", ...options, "-D", dataFolderOf(place.folder), "postgres"],
    { ...asAccount(place.account), cwd: "/", env: postgresEnvironment(), encoding: "utf8", input: input.join("") }
  )
  if (status !== 0) throw new Error(`The roles could not be made in ${place.folder}:\n${error?.message ?? stderr}`)
  return passwords
}
