/**
 * What a page of the feeds costs with few rows and with many: `npm run bench:feeds -- [--rows 200000] [--small 10000]
 * [--turns 150]`, with `--rows 10000000` for the size that is aimed at. Both databases are of one server and are asked in
 * turns, so that what else the machine does falls on both.
 */
import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"
import {
  ActivityFeed,
  type ActivityFilter,
  type FeedWorkspace,
  fileNotices,
  NotificationFeed
} from "@agent-platform/feeds"
import { FeedLog, UnitOfWork } from "@agent-platform/kernel"
import { aNotification } from "@agent-platform/kernel/testing"
import { layerClient, layer as layerPostgres, migrate } from "@agent-platform/postgres"
import { DateTime, Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { startTestPostgres } from "../local/testDatabase.ts"
import { ask } from "./database.ts"
import { blocksOf } from "./feeds/blocks.ts"
import { fillFeeds } from "./feeds/fill.ts"
import { percentile } from "./measure.ts"

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    small: { type: "string", default: "10000" },
    turns: { type: "string", default: "150" }
  }
})
const sizes = [Number(values.small), Number(values.rows)]
const turns = Number(values.turns)
const WARM_UP = 15
const PAGE = 50

const print = (line = "") => process.stdout.write(`${line}\n`)
const postgres = await startTestPostgres()

/** A database of its own with so many rows in each feed. */
const makeSide = async (rows: number) => {
  const name = `feeds_${rows}`
  await ask(postgres.url, `create database ${name}`)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  const layer = layerPostgres.pipe(
    Layer.provideMerge(
      layerClient({ url: Redacted.make(url.href), maxConnections: 2, applicationName: "agent-platform-bench" })
    ),
    Layer.provide(Logger.layer([]))
  )
  const runtime = ManagedRuntime.make(layer)
  await runtime.runPromise(migrate)
  const begun = performance.now()
  const workspace = await runtime.runPromise(fillFeeds(rows))
  print(`${rows} entries and notices made in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  const filing = performance.now()
  let filed = 0
  for (let count = -1; count !== 0; filed += count) count = await runtime.runPromise(fileNotices())
  const micros = ((performance.now() - filing) * 1000) / Math.max(1, filed)
  print(`  ${filed} notices filed, ${micros.toFixed(1)} µs each (elapsed, in batches of 2,000)`)
  await ask(url.href, "vacuum analyze")
  return { runtime, workspace }
}

type Side = Awaited<ReturnType<typeof makeSide>>
type Reading = (workspace: FeedWorkspace) => Effect.Effect<unknown, never, ActivityFeed | NotificationFeed>
type Doing = (
  workspace: FeedWorkspace
) => Effect.Effect<unknown, never, ActivityFeed | NotificationFeed | FeedLog | UnitOfWork>

const sides: Array<Side> = []
for (const size of sizes) sides.push(await makeSide(size))

interface Measured {
  /** How many times longer the last side took, and how many times more blocks it touched. */
  readonly time: number
  readonly blocks: number
}

const cells = (...figures: ReadonlyArray<string>) => figures.map((figure) => figure.padStart(8)).join(" ")

/** Does something on every side in turns, and prints how long it took. */
const timed = async (doing: Doing) => {
  const taken = sides.map((): Array<number> => [])
  for (let turn = -WARM_UP; turn < turns; turn++) {
    for (const [index, { runtime, workspace }] of sides.entries()) {
      const begun = performance.now()
      await runtime.runPromise(doing(workspace))
      if (turn >= 0) taken[index]?.push(performance.now() - begun)
    }
  }
  const [small = Number.NaN, large = Number.NaN] = taken.map((times) => percentile(times, 0.5))
  return { ratio: large / small, text: cells(small.toFixed(2), large.toFixed(2), (large / small).toFixed(2)) }
}

const measureAct = async (name: string, doing: Doing): Promise<void> => {
  print(`${name.padEnd(62)} ${(await timed(doing)).text}`)
}

const measureReading = async (name: string, reading: Reading): Promise<Measured> => {
  const time = await timed(reading)
  const touched: Array<number> = []
  for (const { runtime, workspace } of sides) touched.push(await runtime.runPromise(blocksOf(reading(workspace))))
  const [few = Number.NaN, many = Number.NaN] = touched
  print(`${name.padEnd(62)} ${time.text} ${cells(String(few), String(many), (many / few).toFixed(2))}`)
  return { time: time.ratio, blocks: many / few }
}

const HALF_A_YEAR_AGO = DateTime.makeUnsafe("2026-05-22T00:00:00Z")
const since = DateTime.makeUnsafe("2025-12-01T00:00:00Z")

const pageOf =
  (filter: ActivityFilter, includesOrganization: boolean, isDeep: boolean): Reading =>
  (workspace) =>
    ActivityFeed.use((feed) =>
      feed.list({ ...workspace, includesOrganization }, filter, {
        limit: PAGE,
        before: isDeep ? { createdAt: HALF_A_YEAR_AGO, id: "ffffffff-ffff-7fff-8fff-ffffffffffff" as never } : undefined
      })
    )

print(
  `\n${cpus().length} CPUs, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(" ")}; p50 in ms over ${turns} turns`
)
print(`${"".padEnd(62)} ${cells(...sizes.map(String), "ratio", ...sizes.map(() => "blocks"), "ratio")}`)
const measured: Array<Measured> = []
for (const resourceType of [undefined, "member"]) {
  for (const actorType of [undefined, "agent" as const]) {
    for (const bound of [undefined, since]) {
      for (const [who, includesOrganization] of [
        ["", false],
        [", admin", true]
      ] as const) {
        for (const isDeep of [false, true]) {
          const filter = { resourceType, actorType, since: bound }
          const named = Object.entries(filter).flatMap(([filterName, value]) =>
            value === undefined ? [] : [filterName]
          )
          const name = `activity by ${named.join(", ") || "nothing"}${who}${isDeep ? ", half a year back" : ""}`
          measured.push(await measureReading(name, pageOf(filter, includesOrganization, isDeep)))
        }
      }
    }
  }
}

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
const posting: Doing = (workspace) =>
  Effect.suspend(() => FeedLog.use((log) => atomic(log.notify(aNotification(workspace)))))
const reading: Reading = (workspace) => NotificationFeed.use((feed) => feed.read(workspace))
const markingOne: Doing = (workspace) =>
  NotificationFeed.use((feed) =>
    Effect.flatMap(feed.read(workspace), ({ items }) =>
      atomic(
        feed.markRead(
          workspace,
          items.slice(-1).map(({ id }) => id)
        )
      )
    )
  )
const markingAll: Doing = (workspace) => NotificationFeed.use((feed) => atomic(feed.markAllRead(workspace)))

measured.push(await measureReading("notifications and their count, all unread", reading))
await measureAct("a notice posted", posting)
measured.push(await measureReading("notifications and their count, some not filed", reading))
await measureAct("notifications read, and one of them marked", markingOne)
await measureAct("all marked as read", markingAll)
measured.push(await measureReading("notifications and their count, none unread", reading))
const most = (ratios: ReadonlyArray<number>) => Math.max(...ratios).toFixed(2)
print(
  `\nA page is one statement. The greatest ratio of a reading is ${most(measured.map(({ time }) => time))} in time,`
)
print(`and ${most(measured.map(({ blocks }) => blocks))} in blocks.`)

for (const { runtime } of sides) await runtime.dispose()
await postgres.stop()
