import { lstatSync, mkdirSync } from "node:fs"

/** Where root puts what the database account must reach when DATA_DIR or the checkout is closed to it. */
export const SHARED_FOLDER = "/var/lib/agent-platform"

/**
 * Makes the shared folder. Fails when something else lies there: a folder that others may write to could be given other
 * contents by them.
 */
export const ensureSharedFolder = (): string => {
  mkdirSync(SHARED_FOLDER, { recursive: true, mode: 0o755 })
  const found = lstatSync(SHARED_FOLDER)
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(
      `${SHARED_FOLDER} must be a folder that belongs to root and that nobody else may write to. ` +
        "Correct it, or set DATA_DIR to a folder that the database user can reach."
    )
  }
  return SHARED_FOLDER
}
