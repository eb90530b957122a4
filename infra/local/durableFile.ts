/** Writes and moves of files that are whole, old or new, whenever the machine stops. */
import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

const syncFolder = (folder: string): void => {
  // Windows has no handle on a folder.
  if (process.platform === "win32") return
  const handle = openSync(folder, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Puts the text into the file, readable by its owner alone. Every reader, whenever the machine stops, sees the
 * old text or the new, whole.
 */
export const writeDurably = (path: string, text: string): void => {
  const draft = `${path}.${randomBytes(4).toString("hex")}`
  try {
    const handle = openSync(draft, "wx", 0o600)
    try {
      writeFileSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}

/** Moves a finished file or folder into its place, so that it stays there when the machine stops. */
export const moveDurably = (from: string, to: string): void => {
  renameSync(from, to)
  syncFolder(dirname(to))
}
