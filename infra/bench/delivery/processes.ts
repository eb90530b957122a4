/** The processes of a measurement: started, asked, and their processor time read. */
import { type ChildProcess, fork } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { cpus } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { WORKER_FLAGS } from "../../local/memory.mjs"
import type { Answer, Question, Tally } from "./receiver.ts"

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100

const statOf = (pid: number | string): ReadonlyArray<string> | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return undefined
  }
}

const titleOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** Where `/proc/<pid>/stat` has, behind the name: the parent, the user and system time, and those of children that have ended. */
const PARENT = 1
const TIMES = [11, 12]
const PAST_TIMES = [13, 14]

const secondsOf = (stat: ReadonlyArray<string>, places = TIMES) =>
  places.reduce((sum, place) => sum + Number(stat[place]), 0) / TICKS_PER_SECOND

/** Processor seconds that a process has used so far, its children left out unless they are asked for. Linux only. */
export const processorSeconds = (pid: number, { withChildren = false } = {}): number => {
  const own = statOf(pid)
  let seconds = own === undefined ? 0 : secondsOf(own)
  if (!withChildren) return seconds
  if (own !== undefined) seconds += secondsOf(own, PAST_TIMES)
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined
    if (stat !== undefined && Number(stat[PARENT]) === pid) seconds += secondsOf(stat)
  }
  return seconds
}

/**
 * Processor seconds of the backends that serve this database, by their titles: `postgres: user database host state`. With `pids`, of those
 * alone. Linux only.
 */
export const backendSeconds = (postmaster: number, database: string, pids?: ReadonlySet<number>): number => {
  let seconds = 0
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined
    if (stat === undefined || Number(stat[PARENT]) !== postmaster) continue
    if (pids !== undefined && !pids.has(Number(name))) continue
    if (titleOf(name).includes(` ${database} `)) seconds += secondsOf(stat)
  }
  return seconds
}

/** Seconds that all processors have worked since the machine started, and how many there are. */
export const machineSeconds = (): { readonly worked: number; readonly processors: number } => {
  const all = cpus()
  const worked = all.reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000
  return { worked, processors: all.length }
}

const nextMessage = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const ended = () => reject(new Error("A process of the measurement ended by itself"))
    child.once("exit", ended)
    child.once("message", (message) => {
      child.off("exit", ended)
      resolve(message)
    })
  })

/** How a receiver is spoken to: production allows HTTPS only. */
export const SCHEMES = ["http", "https"] as const

export type Scheme = (typeof SCHEMES)[number]

export type Ports = Readonly<Record<Scheme, number>>

/** Has a process trust the receiver's certificate. */
export const TRUSTING = {
  NODE_EXTRA_CA_CERTS: fileURLToPath(
    new URL("../../../packages/egress/test/fixtures/test-only-ca.pem", import.meta.url)
  )
}

/** A receiver of its own. */
export interface Receiver {
  readonly pid: number
  /** Where it answers in this way; `number` tells endpoints apart. */
  readonly url: (how: "ok" | "fail" | "hang", number: number) => string
  readonly reset: () => Promise<void>
  /** Waits until so many events have come to healthy paths; fails after so many seconds. */
  readonly reached: (events: number, seconds: number) => Promise<void>
  readonly tallies: () => Promise<Readonly<Record<string, Tally>>>
  readonly arrivals: () => Promise<ReadonlyArray<readonly [path: string, eventId: string, atMillis: number]>>
  readonly stop: () => void
}

/** Starts a receiver, which is spoken to in this way, and waits until it listens. */
export const startReceiver = async (scheme: Scheme = "http"): Promise<Receiver> => {
  const child = fork(fileURLToPath(new URL("./receiver.ts", import.meta.url)), [], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  const { ports } = (await nextMessage(child)) as { readonly ports: Ports }
  const ask = async (question: Question) => {
    const answer = nextMessage(child)
    child.send(question)
    return (await answer) as Answer
  }
  return {
    pid: child.pid ?? 0,
    // By name, as receivers are: an address in a URL takes the egress guard longer to read.
    url: (how, number) => `${scheme}://localhost:${ports[scheme]}/${how}/${number}`,
    reset: async () => void (await ask({ ask: "reset" })),
    reached: async (events, seconds) => {
      const late = new AbortController()
      const isLate = sleep(seconds * 1000, true, { signal: late.signal }).catch(() => false)
      const reached = ask({ ask: "reached", events }).then(() => false)
      try {
        if (await Promise.race([reached, isLate])) throw new Error(`Not ${events} events came within ${seconds} s`)
      } finally {
        late.abort()
      }
    },
    tallies: async () => {
      const answer = await ask({ ask: "tallies" })
      return "tallies" in answer ? answer.tallies : {}
    },
    arrivals: async () => {
      const answer = await ask({ ask: "arrivals" })
      return "arrivals" in answer ? answer.arrivals : []
    },
    stop: () => child.kill()
  }
}

/** The result of the client alone: its rate, and its processor time for each request. */
export interface Raced {
  readonly perSecond: number
  readonly micros: number
}

/**
 * Runs the client alone: over so many bare connections of undici's, over undici's pool of as many, or
 * through the egress guard. Its Node has the flags of a worker's.
 */
export const raceClient = async (
  how: "connections" | "pool" | "guard",
  url: string,
  count: number,
  inFlight: number
): Promise<Raced> => {
  const script = fileURLToPath(new URL("./client.ts", import.meta.url))
  const child = fork(script, [how, url, String(count), String(inFlight)], {
    execArgv: [...process.execArgv, ...WORKER_FLAGS],
    env: { ...process.env, ...TRUSTING }
  })
  return (await nextMessage(child)) as Raced
}
