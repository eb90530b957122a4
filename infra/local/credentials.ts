/** The files of a DATA_DIR that hold credentials: `credentials.json` for callers, and the key that seals stored secrets. */
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { writeDurably } from "./durableFile.ts"

/** The identity that the first start makes and every later one keeps. The keys are whole, as they are sent in a header. */
export interface Identity {
  readonly organization_id: string
  readonly org_key: string
  readonly workspace_id: string
  readonly workspace_key: string
  readonly agent_id: string
}

/** The content of credentials.json. */
export interface Credentials extends Identity {
  readonly base_url: string
  readonly database_url: string
  /** The same database by the role that owns its tables, for migrations by hand. */
  readonly database_owner_url: string
}

const MEMBERS = ["organization_id", "org_key", "workspace_id", "workspace_key", "agent_id"] as const

/** The file under a DATA_DIR that says how to reach the platform. */
export const credentialsPath = (dataDir: string): string => join(dataDir, "credentials.json")

/** The identity that a value holds, or null when anything of it is missing. */
export const identityIn = (value: unknown): Identity | null => {
  if (value === null || typeof value !== "object") return null
  const found = value as Readonly<Record<string, unknown>>
  const member = (name: (typeof MEMBERS)[number]) => found[name]
  if (!MEMBERS.every((name) => typeof member(name) === "string" && member(name) !== "")) return null
  return Object.fromEntries(MEMBERS.map((name) => [name, member(name)])) as unknown as Identity
}

/** The identity from an earlier start, or null when the file is gone, unreadable or incomplete. */
export const knownIdentity = (dataDir: string): Identity | null => {
  try {
    return identityIn(JSON.parse(readFileSync(credentialsPath(dataDir), "utf8")))
  } catch {
    return null
  }
}

/** Writes the file whole or not at all, readable by its owner alone. */
export const writeCredentials = (dataDir: string, credentials: Credentials): void => {
  const { base_url, database_owner_url, database_url } = credentials
  const identity = Object.fromEntries(MEMBERS.map((name) => [name, credentials[name]]))
  const content = { base_url, database_url, database_owner_url, ...identity }
  writeDurably(credentialsPath(dataDir), `${JSON.stringify(content, null, 2)}\n`)
}

/**
 * The key beside the embedded database: 32 random bytes in base64, made at the first start. Fails when the file is there
 * and holds something else, because a new key would leave every stored secret closed for good.
 */
export const localSecretsKey = (dataDir: string): string => {
  const path = join(dataDir, "secrets.key")
  if (!existsSync(path)) writeDurably(path, `${randomBytes(32).toString("base64")}\n`)
  const key = readFileSync(path, "utf8").trim()
  if (!/^[A-Za-z0-9+/]{43}=$/.test(key)) {
    throw new Error(`${path} does not hold 32 bytes in base64. Restore it; without it no stored secret can be opened.`)
  }
  return key
}
