/** Apps that a killed `npm start` left running, which the next one kills. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { writeDurably } from "./durableFile.ts"
import { processIdentity } from "./processLock.mjs"

const POLL_MILLISECONDS = 10

const recordPath = (dataDir: string): string => join(dataDir, "processes.json")

interface Recorded {
  readonly pid: number
  readonly identity: string
}

const readRecord = (dataDir: string): ReadonlyArray<Recorded> => {
  if (!existsSync(recordPath(dataDir))) return []
  try {
    const content: unknown = JSON.parse(readFileSync(recordPath(dataDir), "utf8"))
    return Array.isArray(content) ? content : []
  } catch {
    return []
  }
}

/** Whether the process that was recorded is still there: another one may have got its pid since. */
const isRunning = ({ identity, pid }: Recorded): boolean => Number.isInteger(pid) && processIdentity(pid) === identity

/** Notes the processes of the apps, so that a later start knows them if this one is killed. */
export const recordProcesses = (dataDir: string, pids: ReadonlyArray<number>): void => {
  const record = pids.flatMap((pid) => {
    const identity = processIdentity(pid)
    return identity === undefined ? [] : [{ pid, identity }]
  })
  writeDurably(recordPath(dataDir), `${JSON.stringify(record)}\n`)
}

/**
 * Kills the apps that a killed start left behind and waits until they are gone. Each is built to be killed at any moment.
 * Only for the holder of the lock on DATA_DIR.
 */
export const killLeftovers = async (dataDir: string, say: (line: string) => void): Promise<void> => {
  for (const one of readRecord(dataDir)) {
    if (!isRunning(one)) continue
    say(`process ${one.pid} was left running by a start that was killed; killing it`)
    try {
      process.kill(one.pid, "SIGKILL")
    } catch {
      // It ended by itself in this moment.
    }
    while (isRunning(one)) await setTimeout(POLL_MILLISECONDS)
  }
}
