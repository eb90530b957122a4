import { accessSync, chmodSync, constants, existsSync, mkdirSync, realpathSync, statSync } from "node:fs"

/**
 * Opens a DATA_DIR, made when missing, and answers its real path. A new one is closed to other users, save that root's is
 * open for passing through: its Postgres runs as another user. Fails when this process may not write into it, or
 * when others could have prepared it.
 */
export const openDataDir = (dataDir: string): string => {
  if (!existsSync(dataDir)) {
    mkdirSync(dataDir, { recursive: true })
    chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
  }
  try {
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new Error(`DATA_DIR ${dataDir} cannot be written to by this user.`, { cause })
  }
  const folder = realpathSync(dataDir)
  const { mode, uid } = statSync(folder)
  // Its contents are trusted: keys, process ids, a database.
  if (process.getuid !== undefined && uid !== process.getuid()) {
    throw new Error(`DATA_DIR ${folder} belongs to another user. Set DATA_DIR to a folder of your own.`)
  }
  if ((mode & 0o002) !== 0) {
    throw new Error(
      `DATA_DIR ${folder} can be written to by every user. Close it with chmod o-w, or set another DATA_DIR.`
    )
  }
  return folder
}
