/** The second tenant, beside every measurement: its requests never fail and wait little longer than alone. */
import { fork } from "node:child_process"
import { percentile } from "../bench/measure.ts"
import { fileOf, type Platform } from "./platform.ts"
import { makeTester } from "./tester.ts"

/** The requests that a neighbour makes all the while. */
export const DEEDS = ["/healthz", "requests", "runs"] as const
export type Deed = (typeof DEEDS)[number]

/** One of them, done or failed. */
export interface Done {
  readonly deed: Deed
  readonly millis: number
  readonly failure: string | null
}

/** The first message to the process of a neighbour. */
export interface Given {
  readonly port: number
  readonly key: string
  readonly agentId: string
}

/** The messages after it. */
export type Order = { readonly order: "pause" | "resume" }

/** The most that a request of the neighbour's may take, as a multiple of its p99 while it is alone. */
export const WAIT_MULTIPLE = 20

/** A p99 below this counts as this much, in milliseconds. */
const QUIET_MILLIS_MIN: Readonly<Record<Deed, number>> = { "/healthz": 50, requests: 75, runs: 150 }

/** How long the neighbour is watched before anything is measured, in milliseconds. */
const QUIET_MILLIS = 4_000

/** How many of the cases that ran beside it are remembered. */
const NOTED_MAX = 200

/** The neighbour's latencies since it was last asked. */
export interface Sighting {
  readonly count: number
  readonly millisMax: number
  readonly failures: ReadonlyArray<string>
}

/** Something of a neighbour's that failed, or took longer than it may. */
export interface Disturbance extends Done {
  /** The cases that ran meanwhile, from its beginning to its end. */
  readonly beside: ReadonlyArray<string>
}

export interface Neighbour {
  /** Names the case that runs from now on, so that it can be blamed. */
  readonly note: (what: string) => void
  /** Stops its requests, and waits until none is under way. */
  readonly pause: () => Promise<void>
  readonly resume: () => void
  /** The outcomes of its requests since the last look. */
  readonly look: () => Readonly<Record<Deed, Sighting>>
  /** The disturbances since it was last asked. */
  readonly disturbances: () => ReadonlyArray<Disturbance>
  /** The longest that each of its deeds may take, in milliseconds. */
  readonly bounds: Readonly<Record<Deed, number>>
  readonly stop: () => void
}

/** A disturbance in words. */
export const inWords = ({ deed, failure, millis }: Done): string =>
  `${deed} ${failure === null ? `took ${Math.round(millis)} ms` : `failed: ${failure}`}`

const empty = (): Record<Deed, Array<Done>> => ({ "/healthz": [], requests: [], runs: [] })

/** Starts a neighbour in a process of its own and measures it alone; `factor` is how slow the machine is. */
export const startNeighbour = async (platform: Platform, factor: number): Promise<Neighbour> => {
  const { agentId, organization } = await makeTester(platform)
  const given: Given = { port: platform.port, key: organization.workspaceKey, agentId: await agentId() }
  const child = fork(fileOf("./neighbourProcess.ts"), [], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  let recent = empty()
  let noted: ReadonlyArray<{ readonly what: string; readonly at: number }> = []
  let bounds: Record<Deed, number> = { "/healthz": Infinity, requests: Infinity, runs: Infinity }
  let disturbances: Array<Disturbance> = []
  let quiet: PromiseWithResolvers<void> | undefined

  /** Everything that was noted since then, and what had been noted last before. */
  const besideSince = (moment: number) => {
    const last = noted.findLastIndex(({ at }) => at <= moment)
    return noted.slice(Math.max(0, last)).map(({ what }) => what)
  }

  child.on("message", (message: Done | { readonly paused: true }) => {
    if ("paused" in message) return quiet?.resolve()
    recent[message.deed].push(message)
    if (message.failure === null && message.millis <= bounds[message.deed]) return
    disturbances.push({ ...message, beside: besideSince(performance.now() - message.millis) })
  })
  const sendOrder = (order: Order["order"]) => child.send({ order } satisfies Order)

  child.send(given)
  sendOrder("resume")
  await new Promise((resolve) => setTimeout(resolve, QUIET_MILLIS * factor))
  const boundOf = (deed: Deed) => {
    const p99 = percentile(
      recent[deed].map(({ millis }) => millis),
      0.99
    )
    return WAIT_MULTIPLE * Math.max(p99, QUIET_MILLIS_MIN[deed] * factor)
  }
  bounds = { "/healthz": boundOf("/healthz"), requests: boundOf("requests"), runs: boundOf("runs") }
  const [early] = disturbances
  if (early !== undefined) throw new Error(`The neighbour is disturbed while it is alone: ${inWords(early)}`)

  return {
    bounds,
    note: (what) => {
      // No request of the neighbour's takes as long as so many cases.
      noted = [...noted.slice(-NOTED_MAX), { what, at: performance.now() }]
    },
    pause: async () => {
      quiet = Promise.withResolvers<void>()
      sendOrder("pause")
      await quiet.promise
    },
    resume: () => void sendOrder("resume"),
    look: () => {
      const seen = recent
      recent = empty()
      const sightingOf = (deed: Deed): Sighting => ({
        count: seen[deed].length,
        millisMax: Math.max(0, ...seen[deed].map(({ millis }) => millis)),
        failures: seen[deed].flatMap(({ failure }) => (failure === null ? [] : [failure]))
      })
      return { "/healthz": sightingOf("/healthz"), requests: sightingOf("requests"), runs: sightingOf("runs") }
    },
    disturbances: () => {
      const seen = disturbances
      disturbances = []
      return seen
    },
    stop: () => void child.kill("SIGKILL")
  }
}
