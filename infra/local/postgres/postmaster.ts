/** One server process of the embedded Postgres: its start, its stop, and what a killed one leaves behind. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, constants, openSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { commandLine, processIdentity } from "../processLock.mjs"
import { type Account, asAccount } from "./account.ts"
import type { Binaries } from "./binaries.ts"
import { postgresEnvironment } from "./environment.ts"

const POLL_MILLISECONDS = 10
const STOP_MILLISECONDS = 30_000
const START_MILLISECONDS = 60_000

/** The options of a server process. */
export interface PostmasterOptions {
  readonly binaries: Binaries
  readonly account: Account | undefined
  readonly dataFolder: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
  readonly logFile: string
}

/** Postgres did not come up; `reason` is what it wrote to its log. */
export class PostmasterFailed extends Error {
  readonly reason: string
  constructor(reason: string, logFile: string) {
    super(`Postgres did not start. The end of ${logFile}:\n${reason.split("\n").slice(-12).join("\n")}`)
    this.name = "PostmasterFailed"
    this.reason = reason
  }
}

const pidFile = (dataFolder: string): string => join(dataFolder, "postmaster.pid")

const readPidFile = (dataFolder: string): ReadonlyArray<string> => {
  try {
    return readFileSync(pidFile(dataFolder), "utf8").split("\n")
  } catch {
    return []
  }
}

/** Ends when the process is gone; answers false when it is still there after that time. */
const goneWithin = async (pid: number, milliseconds: number): Promise<boolean> => {
  const identity = processIdentity(pid)
  const deadline = Date.now() + milliseconds
  while (identity !== undefined && processIdentity(pid) === identity) {
    if (Date.now() > deadline) return false
    await setTimeout(POLL_MILLISECONDS)
  }
  return true
}

/** Stops a server: "fast" writes everything out, "immediate" leaves that to recovery. A server that goes on is stopped harder. */
export const stopPostmaster = async (pid: number, how: "fast" | "immediate"): Promise<void> => {
  const signals = how === "immediate" ? (["SIGQUIT", "SIGKILL"] as const) : (["SIGINT", "SIGQUIT", "SIGKILL"] as const)
  for (const signal of signals) {
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    if (await goneWithin(pid, STOP_MILLISECONDS)) return
  }
}

const isServerOf = (pid: number, dataFolder: string): boolean =>
  processIdentity(pid) !== undefined && `${commandLine(pid)} `.includes(` -D ${dataFolder} `)

/**
 * Postgres refuses to start while the process that the pid file names exists, though it be a stranger or a zombie; but it
 * takes its own parent for no rival. With our number in it, Postgres goes on to check whether the shared memory that the
 * rest of the file names is still in use; removing the file would lose that check.
 */
const disownPidFile = (dataFolder: string): void => {
  const lines = readPidFile(dataFolder)
  if (lines.length === 0) return
  const text = [String(process.pid), ...lines.slice(1)].join("\n")
  // The folder belongs to the database account: a link that lies there must not lead root elsewhere.
  const handle = openSync(pidFile(dataFolder), constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0))
  try {
    writeFileSync(handle, text)
  } finally {
    closeSync(handle)
  }
}

/**
 * Frees a data folder that a killed start left behind: a server that still runs on it is stopped, and a pid file whose
 * number belongs to no server of this folder no longer hinders. Only for the holder of the cluster's lock.
 */
export const clearOrphan = async (dataFolder: string, say: (line: string) => void): Promise<void> => {
  const pid = Number(readPidFile(dataFolder)[0])
  if (Number.isInteger(pid) && pid > 0 && isServerOf(pid, dataFolder)) {
    say(`Postgres (process ${pid}) was left running on ${dataFolder} by a start that was killed; restarting it`)
    await stopPostmaster(pid, "fast")
  }
  disownPidFile(dataFolder)
}

const isReady = (pid: number, dataFolder: string): boolean => {
  const lines = readPidFile(dataFolder)
  // The eighth line is the server's state; one that follows another takes connections as "standby".
  return Number(lines[0]) === pid && /^(ready|standby)$/.test(lines[7]?.trim() ?? "")
}

const settingArguments = (settings: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/**
 * Starts a server in a process session of its own, so that the terminal's Ctrl-C does not reach it, and waits until it
 * takes connections. Fails with PostmasterFailed when it ends before.
 */
export const startPostmaster = async (options: PostmasterOptions): Promise<ChildProcess & { readonly pid: number }> => {
  const { account, binaries, dataFolder, logFile, port, settings } = options
  const log = openSync(logFile, "a", 0o600)
  const logStart = statSync(logFile).size
  const child = spawn(binaries.postgres, ["-D", dataFolder, "-p", String(port), ...settingArguments(settings)], {
    ...asAccount(account),
    cwd: dataFolder,
    env: postgresEnvironment(),
    detached: true,
    stdio: ["ignore", log, log]
  })
  closeSync(log)
  let failure: Error | undefined
  child.on("error", (error) => {
    failure = error
  })
  const deadline = Date.now() + START_MILLISECONDS
  while (child.pid === undefined || !isReady(child.pid, dataFolder)) {
    await setTimeout(POLL_MILLISECONDS)
    if (failure !== undefined) throw failure
    const late = Date.now() > deadline
    if (late && child.pid !== undefined) await stopPostmaster(child.pid, "immediate")
    if (late || child.exitCode !== null || child.signalCode !== null) {
      throw new PostmasterFailed(readFileSync(logFile).subarray(logStart).toString("utf8").trimEnd(), logFile)
    }
  }
  return child as ChildProcess & { readonly pid: number }
}
