/**
 * `npm run bench:feeds`: what a page of the activity and of the notifications costs in a database of few rows and in one of many. Both
 * are of one server and asked in turns, so that what else the machine does falls on both.
 */
import { cpus, loadavg } from "node:os"
import {
  ActivityFeed,
  type ActivityFilter,
  type ActivityPosition,
  type FeedWorkspace,
  fileNotices,
  NotificationFeed
} from "@agent-platform/feeds"
import { ActivityId, FeedLog, UnitOfWork } from "@agent-platform/kernel"
import { aNotification } from "@agent-platform/kernel/testing"
import { layerClient, layer as layerPostgres, migrate, TIMEOUTS } from "@agent-platform/postgres"
import { DateTime, Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { readFlags } from "../local/flags.ts"
import { startTestPostgres } from "../local/testDatabase.ts"
import { ask } from "./database.ts"
import { costsOf } from "./feeds/blocks.ts"
import { fillFeeds, NEWEST_MILLIS, postNotices } from "./feeds/fill.ts"
import { percentile } from "./measure.ts"

const { rows, small, turns } = readFlags(
  "npm run bench:feeds",
  "What a page of the feeds costs with few rows and with many.",
  {
    rows: { value: "N", default: 200_000, says: "Rows of the large database; 10000000 is the size that is aimed at" },
    small: { value: "N", default: 10_000, says: "Rows of the small one" },
    turns: { value: "N", default: 150, says: "How often each page is asked for" }
  }
)
const sizes = [small, rows]
const WARM_UP = 15
const PAGE = 50
/** The cost of the large size, at most, as a multiple of the small one's. */
const RATIO_MAX = 1.25
/** Notices that the product itself files in the end, to measure the cost of filing. */
const FILED_LAST = 5_000
/** Pages of a list, one after the other, that are measured as one kind. */
const PAGES = 3

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
      layerClient({
        url: Redacted.make(url.href),
        maxConnections: 5,
        applicationName: "agent-platform-bench",
        timeouts: TIMEOUTS.migrations
      })
    ),
    Layer.provide(Logger.layer([]))
  )
  const runtime = ManagedRuntime.make(layer)
  await runtime.runPromise(migrate)
  const begun = performance.now()
  const workspace = await runtime.runPromise(fillFeeds(rows))
  const made = performance.now()
  await ask(url.href, "vacuum analyze")
  const [making, vacuuming] = [made - begun, performance.now() - made].map((millis) => (millis / 1000).toFixed(0))
  print(`${rows} entries and notices made in ${making} s, vacuumed in ${vacuuming} s`)
  return { rows, runtime, workspace }
}

type Side = Awaited<ReturnType<typeof makeSide>>
type Reading = Effect.Effect<unknown, never, ActivityFeed | NotificationFeed>
type Act = Effect.Effect<unknown, never, ActivityFeed | NotificationFeed | FeedLog | UnitOfWork>

const sides: Array<Side> = []
for (const size of sizes) sides.push(await makeSide(size))

interface Measured {
  readonly name: string
  /** How many times longer the last side took, and how many times more blocks it touched. */
  readonly time: number
  readonly blocks: number
}

const measured: Array<Measured> = []
const cells = (...figures: ReadonlyArray<string>) => figures.map((figure) => figure.padStart(8)).join(" ")

/** Has the sides act by turns, each by the next of its own acts; answers the ratio of their times, and cells with the medians. */
const timed = async (acts: ReadonlyArray<ReadonlyArray<Act>>) => {
  const taken = sides.map((): Array<number> => [])
  for (let turn = -WARM_UP; turn < turns; turn++) {
    for (const [index, { runtime }] of sides.entries()) {
      const all = acts[index] ?? []
      const begun = performance.now()
      await runtime.runPromise(all[(turn + WARM_UP) % all.length] ?? Effect.void)
      if (turn >= 0) taken[index]?.push(performance.now() - begun)
    }
  }
  const [small = [], large = []] = taken
  // Each ratio is of two acts that follow each other: what else the machine does slows both down.
  const ratio = percentile(
    large.map((millis, turn) => millis / (small[turn] ?? Number.NaN)),
    0.5
  )
  return { ratio, text: cells(percentile(small, 0.5).toFixed(2), percentile(large, 0.5).toFixed(2), ratio.toFixed(2)) }
}

const measureAct = async (name: string, act: (workspace: FeedWorkspace) => Act): Promise<void> => {
  print(`${name.padEnd(62)} ${(await timed(sides.map(({ workspace }) => [act(workspace)]))).text}`)
}

const compared = (few: number, many: number, digits: number) =>
  cells(few.toFixed(digits), many.toFixed(digits), (many / few).toFixed(2))

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Measures readings of one kind; `showsCount` prints the part that is the exact count, too, by the time inside of the database. */
const measureReadings = async (
  name: string,
  readingsOf: (side: Side) => Promise<ReadonlyArray<Reading>>,
  { showsCount = false } = {}
): Promise<void> => {
  const readings = await Promise.all(sides.map(readingsOf))
  const time = await timed(readings)
  const [few, many] = await Promise.all(
    sides.map(async ({ runtime }, index) => {
      const costs: Array<Effect.Success<ReturnType<typeof costsOf>>> = []
      for (const reading of readings[index] ?? []) costs.push(await runtime.runPromise(costsOf(reading)))
      return {
        blocks: mean(costs.map(({ whole }) => whole.blocks)),
        countBlocks: mean(costs.map(({ counting }) => counting.blocks)),
        countMillis: percentile(
          costs.map(({ counting }) => counting.millis),
          0.5
        )
      }
    })
  )
  if (few === undefined || many === undefined) return
  print(`${name.padEnd(62)} ${time.text} ${compared(few.blocks, many.blocks, 1)}`)
  measured.push({ name, time: time.ratio, blocks: many.blocks / few.blocks })
  if (!showsCount) return
  const count = compared(few.countMillis, many.countMillis, 3)
  const title = "  of that the exact count, in the database's own time"
  print(`${title.padEnd(62)} ${count} ${compared(few.countBlocks, many.countBlocks, 1)}`)
}

/** Two months and nearly a year before `NEWEST_MILLIS`. */
const TWO_MONTHS_AGO = DateTime.makeUnsafe("2026-09-21T00:00:00Z")
const since = DateTime.makeUnsafe("2025-12-01T00:00:00Z")

/**
 * The pages of a list one after the other. One page alone would depend on where a block happens to end: of two that follow each
 * other one can touch three blocks more.
 */
const pagesOf =
  (filter: ActivityFilter, includesOrganization: boolean, isDeep: boolean) =>
  async ({ runtime, workspace }: Side): Promise<ReadonlyArray<Reading>> => {
    const pages: Array<Reading> = []
    let before: ActivityPosition | undefined = isDeep
      ? // The greatest id of all, so that everything of that time counts as before it.
        { createdAt: TWO_MONTHS_AGO, id: ActivityId.make("ffffffff-ffff-7fff-bfff-ffffffffffff") }
      : undefined
    while (pages.length < PAGES) {
      const request = { limit: PAGE, before }
      const page = ActivityFeed.use((feed) => feed.list({ ...workspace, includesOrganization }, filter, request))
      const { items, next } = await runtime.runPromise(page)
      // The last page of a list may hold fewer entries, and would be cheaper.
      if (pages.length > 0 && next === undefined) break
      pages.push(page)
      before = items.at(-1)
    }
    return pages
  }

print(
  `\n${cpus().length} CPUs, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(" ")}; p50 in ms over ${turns} turns`
)
print(`${"".padEnd(62)} ${cells(...sizes.map(String), "ratio", ...sizes.map(() => "blocks"), "ratio")}`)
// The activity with every set of filters, for a workspace and with its organization's entries, from the newest and from further back.
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
          const name = `activity by ${named.join(", ") || "nothing"}${who}${isDeep ? ", two months back" : ""}`
          await measureReadings(name, pagesOf(filter, includesOrganization, isDeep))
        }
      }
    }
  }
}

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
const posted = { count: 0 }
/** Posts a notice that is a second newer than the one before, as real ones do not all come in the same second. */
const posting = (workspace: FeedWorkspace) =>
  Effect.suspend(() => {
    const createdAt = DateTime.makeUnsafe(NEWEST_MILLIS + ++posted.count * 1_000)
    return FeedLog.use((log) => atomic(log.notify(aNotification({ ...workspace, createdAt }))))
  })
const reading = (workspace: FeedWorkspace) => NotificationFeed.use((feed) => feed.read(workspace))
const readingAll = async ({ workspace }: Side) => Array.from({ length: PAGES }, () => reading(workspace))
const markingOne = (workspace: FeedWorkspace) =>
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
const markingAll = (workspace: FeedWorkspace) => NotificationFeed.use((feed) => atomic(feed.markAllRead(workspace)))

await measureReadings("notifications and their count, all unread", readingAll, { showsCount: true })
await measureAct("all marked as read", markingAll)
await measureReadings("notifications and their count, none unread", readingAll, { showsCount: true })
await measureAct("a notice posted", posting)
await measureReadings("notifications and their count, some not filed", readingAll, { showsCount: true })
await measureAct("notifications read, and one of them marked", markingOne)

for (const { rows, runtime } of sides) {
  await runtime.runPromise(postNotices(rows, FILED_LAST))
  const begun = performance.now()
  const filed = await runtime.runPromise(fileNotices())
  const micros = ((performance.now() - begun) * 1000) / filed
  print(`${filed} notices filed over ${rows}: ${micros.toFixed(1)} µs each (elapsed)`)
}

const above = measured.filter(({ blocks, time }) => Math.max(blocks, time) > RATIO_MAX)
const most = (what: "time" | "blocks") => Math.max(...measured.map((one) => one[what])).toFixed(2)
print(
  `\nA page is one statement. The greatest ratio of a reading is ${most("blocks")} in blocks and ${most("time")} in time.`
)
for (const { blocks, name, time } of above) {
  print(`Above ${RATIO_MAX}: ${name} (${blocks.toFixed(2)} in blocks, ${time.toFixed(2)} in time)`)
}

for (const { runtime } of sides) await runtime.dispose()
await postgres.stop()
