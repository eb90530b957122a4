import { accessSync, chmodSync, constants, existsSync, mkdirSync, realpathSync } from "node:fs"

/**
 * Opens a DATA_DIR, made when missing, and answers its real path. A new one is closed to other users, save that root's is
 * open for passing through: its Postgres runs as another user. Fails when this process may not write into it.
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
  return realpathSync(dataDir)
}
