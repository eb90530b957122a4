import { statfsSync } from "node:fs"

/** Linux's file system in memory. */
const FOLDER = "/dev/shm"

/** A file system in memory, by `statfs`. */
const TMPFS = 0x01021994

/** The databases of a whole test run, with their logs, and room to spare. */
const BYTES_MIN = 4 * 1024 ** 3

/**
 * A folder for temporary files in memory, where the machine has one of at least 4 GiB free. Test runs make and delete some
 * hundred databases, and with them hundreds of thousands of files: on a disk's file system that took the kernel a fifth of
 * their processor time.
 */
export const memoryFolder = (): string | undefined => {
  try {
    const { bavail, bsize, type } = statfsSync(FOLDER)
    return type === TMPFS && bavail * bsize >= BYTES_MIN ? FOLDER : undefined
  } catch {
    return undefined
  }
}
