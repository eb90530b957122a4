/** Identities of processes, and lock files that name their holder. Plain JavaScript: the launcher needs it. */
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"

const readOrUndefined = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const linuxIdentity = (pid) => {
  const stat = readOrUndefined(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The name in parentheses may hold anything; the fields after it start with the state, the 20th is the start time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  if (fields[0] === "Z" || fields[0] === "X") return undefined
  return `${readOrUndefined("/proc/sys/kernel/random/boot_id")?.trim()}:${fields[19]}`
}

const isThere = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

const psField = (pid, field) => {
  const env = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" }
  const { status, stdout } = spawnSync("ps", ["-ww", "-o", `${field}=`, "-p", String(pid)], { env, encoding: "utf8" })
  if (status === 0) return stdout.trim()
  // Without an answer a living process would be taken for one that is gone.
  if (isThere(pid)) throw new Error(`ps does not tell of process ${pid}, so a process cannot be told from a later one`)
  return undefined
}

const portableIdentity = (pid) => {
  if (!isThere(pid)) return undefined
  return process.platform === "win32" ? "alive" : psField(pid, "lstart")
}

/** See processLock.d.mts. */
export const processIdentity = (pid) => (process.platform === "linux" ? linuxIdentity(pid) : portableIdentity(pid))

/** See processLock.d.mts. */
export const commandLine = (pid) =>
  process.platform === "linux"
    ? readOrUndefined(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim()
    : psField(pid, "command")

const parsed = (text) => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

/** The pid of the living process that a lock names. One that names no identity has no holder, as a damaged one. */
const holderOf = (text) => {
  const { pid, identity } = parsed(text)
  if (!Number.isInteger(pid) || typeof identity !== "string") return undefined
  return processIdentity(pid) === identity ? pid : undefined
}

/** Removes a lock whose holder is gone, unless another process has put its own in that place meanwhile. */
const discard = (path, staleText, scratch) => {
  try {
    renameSync(path, scratch)
  } catch {
    return
  }
  if (readOrUndefined(scratch) !== staleText) {
    try {
      linkSync(scratch, path)
    } catch {
      // Someone holds it again: theirs stays.
    }
  }
  rmSync(scratch, { force: true })
}

/** See processLock.d.mts. */
export const takeLock = (path) => {
  const scratch = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`
  // The token tells this lock from another one that the same process takes at this path.
  const text = JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid), token: scratch.slice(-8) })
  writeFileSync(scratch, text, { mode: 0o600, flag: "wx" })
  try {
    for (;;) {
      try {
        linkSync(scratch, path)
        return { taken: true, release: () => readOrUndefined(path) === text && rmSync(path, { force: true }) }
      } catch (error) {
        if (error.code !== "EEXIST") throw error
      }
      const found = readOrUndefined(path)
      if (found === undefined) continue
      const pid = holderOf(found)
      if (pid !== undefined) return { taken: false, pid }
      discard(path, found, `${scratch}.stale`)
    }
  } finally {
    rmSync(scratch, { force: true })
  }
}
