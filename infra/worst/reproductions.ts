/** Inputs that have stopped everybody before: what each does now to the rest. */
import { setTimeout as sleep } from "node:timers/promises"
import { HOLD_MILLIS_MAX } from "./bounds.ts"
import { AppEnded } from "./meter.ts"
import { type Deed, type Neighbour, type Sighting, startNeighbour } from "./neighbour.ts"
import { APPS, type Platform, startPlatform } from "./platform.ts"
import { REPRODUCTIONS, type Reproduction } from "./reproduced.ts"
import { NoAnswer } from "./send.ts"
import { measureSpeed } from "./speed.ts"
import { type Strangers, startStrangers } from "./strangers.ts"
import { makeTester } from "./tester.ts"

/** How long one of them is watched before the apps are started anew, in seconds, and how long at least. */
const WATCHED_SECONDS = 60
const WATCHED_MILLIS_MIN = 1_500

const HEAD = [
  "",
  "input",
  "answered",
  "CPU api",
  "CPU worker, ms",
  "held api",
  "held worker, ms",
  "api",
  "worker, MB",
  "/healthz, ms",
  "requests, ms",
  "runs, ms",
  "neighbour's failures",
  "fault"
]

interface Scene {
  readonly platform: Platform
  readonly strangers: Strangers
  readonly neighbour: Neighbour
  readonly factor: number
}

const within = <A>(act: Promise<A>, millis: number): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`nothing within ${millis / 1000} s`)), millis)
  })
  return Promise.race([act, late]).finally(() => clearTimeout(timer))
}

const watched = async (
  { neighbour, platform, strangers }: Scene,
  { input, seconds = WATCHED_SECONDS }: Reproduction
) => {
  const millis = seconds * 1000
  const tester = await makeTester(platform)
  const act = await input({ platform, strangers, tester })
  // The neighbour's requests until here are left out: only those while the input works are looked at.
  neighbour.look()
  await Promise.all(APPS.map((app) => platform.meter(app).begin()))
  const [outcome] = await within(Promise.all([act(), sleep(WATCHED_MILLIS_MIN)]), millis)
  // The neighbour's requests in flight may be waiting for this input.
  await within(neighbour.pause(), millis)
  const read = within(Promise.all(APPS.map((app) => platform.meter(app).read())), millis)
  const [api, worker] = await read
  return { outcome, api: api!, worker: worker! }
}

const slowest = (seen: Readonly<Record<Deed, Sighting>>, deed: Deed) => seen[deed].millisMax.toFixed(0)

const failuresIn = (seen: Readonly<Record<Deed, Sighting>>) => Object.values(seen).flatMap(({ failures }) => failures)

const rowOf = async (scene: Scene, one: Reproduction): Promise<ReadonlyArray<string>> => {
  const { factor, neighbour, platform } = scene
  // The disturbances by the input before are left out.
  neighbour.disturbances()
  neighbour.note(one.name)
  const done = await watched(scene, one).catch(async (error: unknown) => {
    if (!(error instanceof NoAnswer || error instanceof AppEnded)) throw error
    const paused = neighbour.pause()
    await platform.restart()
    await paused
    return error.message
  })
  const seen = neighbour.look()
  neighbour.resume()
  const others = neighbour.disturbances()
  const measured =
    typeof done === "string"
      ? ["", "", "", "", "", ""]
      : [
          ...[done.api.cpuMillis, done.worker.cpuMillis, done.api.holdMillis, done.worker.holdMillis],
          ...[done.api.memoryMegabytes, done.worker.memoryMegabytes]
        ].map((figure) => figure.toFixed(0))
  const held = typeof done === "string" ? 0 : Math.max(done.api.holdMillis, done.worker.holdMillis)
  const faults = [
    ...(typeof done === "string" ? ["an app was held"] : []),
    ...(held > HOLD_MILLIS_MAX * factor ? ["an event loop was held"] : []),
    ...(others.length > 0 ? ["the neighbour noticed"] : [])
  ]
  return [
    one.number,
    one.name,
    typeof done === "string" ? done : done.outcome,
    ...measured,
    slowest(seen, "/healthz"),
    slowest(seen, "requests"),
    slowest(seen, "runs"),
    String(failuresIn(seen).length),
    faults.join("; ")
  ]
}

/** Tries them one after the other; answers a table, and how many were over a bound. */
export const reproduce = async (postgresUrl: string, say: (line: string) => void) => {
  const { factor } = measureSpeed()
  const strangers = await startStrangers()
  const platform = await startPlatform(postgresUrl)
  try {
    const neighbour = await startNeighbour(platform, factor)
    try {
      say("What the inputs that have stopped everybody before do to a neighbour, alone:")
      const lines: Array<ReadonlyArray<string>> = []
      for (const one of REPRODUCTIONS) lines.push(await rowOf({ platform, strangers, neighbour, factor }, one))
      return { head: HEAD, lines, faults: lines.filter((line) => line.at(-1) !== "").length }
    } finally {
      neighbour.stop()
    }
  } finally {
    await platform.stop()
    await strangers.stop()
  }
}
