/** Where the database of a DATA_DIR lies: inside of it, or elsewhere where the account of Postgres cannot enter it. */
import { createHash, randomBytes } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { writeDurably } from "../durableFile.ts"
import { type Account, canEnter, databaseAccount } from "./account.ts"
import { ensureSharedFolder } from "./sharedFolder.ts"

/** Where the cluster of a DATA_DIR lies or is to lie, and who runs it. */
export interface Place {
  readonly folder: string
  /** The account to run as; undefined for that of this process. */
  readonly account: Account | undefined
  /** Whether the folder lies outside of DATA_DIR. */
  readonly moved: boolean
  /** Databases that a DATA_DIR of this path had before it was removed; reported when a new one is made. */
  readonly abandoned: ReadonlyArray<string>
}

/** The folder inside a place that Postgres itself keeps. */
export const dataFolderOf = (folder: string): string => join(folder, "data")

const pointerOf = (dataDir: string): string => join(dataDir, "postgres.json")

const pointedAt = (dataDir: string): string | undefined => {
  const pointer = pointerOf(dataDir)
  if (!existsSync(pointer)) return undefined
  const content: unknown = JSON.parse(readFileSync(pointer, "utf8"))
  if (content !== null && typeof content === "object" && "folder" in content && typeof content.folder === "string") {
    return content.folder
  }
  throw new Error(
    `${pointer} does not name the folder of the database. Restore it, or remove it to begin with an empty one.`
  )
}

const existing = (folder: string, moved: boolean): Place => {
  const account = databaseAccount(dataFolderOf(folder))
  if (!canEnter(folder, account)) {
    throw new Error(
      `The database in ${folder} must run as the user ${account?.name}, who may not enter that folder. ` +
        "Let that user pass through every folder above it, or set DATA_DIR to another folder."
    )
  }
  return { folder, account, moved, abandoned: [] }
}

const outOfReach = (dataDir: string, account: Account | undefined): Place => {
  const shared = ensureSharedFolder()
  const key = createHash("sha256").update(dataDir).digest("hex").slice(0, 12)
  const abandoned = readdirSync(shared).filter((name) => name.startsWith(`${key}-`) && !name.includes("."))
  const folder = join(shared, `${key}-${randomBytes(4).toString("hex")}`)
  writeDurably(pointerOf(dataDir), `${JSON.stringify({ folder })}\n`)
  return { folder, account, moved: true, abandoned: abandoned.map((name) => join(shared, name)) }
}

/**
 * Finds the cluster of a DATA_DIR, or chooses a place for a new one: a folder `postgres` inside, or when that is closed
 * to the account a folder of its own under the shared one, remembered in `postgres.json`. `dataDir` must be a real path.
 * Fails when an existing cluster cannot be reached by whom it belongs to.
 */
export const placeOf = (dataDir: string): Place => {
  const inside = join(dataDir, "postgres")
  if (existsSync(dataFolderOf(inside))) return existing(inside, false)
  const pointed = pointedAt(dataDir)
  if (pointed !== undefined) {
    if (existsSync(dirname(pointed)) && process.getuid?.() !== 0) {
      throw new Error(
        `The database of ${dataDir} lies in ${pointed}, which root made. Start as root, or set DATA_DIR to another folder.`
      )
    }
    return existsSync(dataFolderOf(pointed))
      ? existing(pointed, true)
      : { folder: pointed, account: databaseAccount(), moved: true, abandoned: [] }
  }
  const account = databaseAccount()
  if (canEnter(dataDir, account)) return { folder: inside, account, moved: false, abandoned: [] }
  return outOfReach(dataDir, account)
}
