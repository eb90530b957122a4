/** `npm run dashboard -- budget`: what the page weighs, and how long it takes, in a real browser over a real `npm start`. */
import { readdirSync, statSync } from "node:fs"
import { availableParallelism, loadavg } from "node:os"
import { join } from "node:path"
import { createClient } from "@agent-platform/client"
import type { Page } from "playwright-core"
import { PAGE } from "../build/state.ts"
import { startAgent } from "./agentServer.ts"
import { addLinesTo, addRunsLike } from "./manyRows.ts"
import { contextOf, type OpenStage, withStage } from "./withStage.ts"

const LOADS = 5
const ROWS = 10_000
const LINES = 100_000

const print = (text: string) => process.stdout.write(`${text}\n`)
const row = (name: string, ...values: ReadonlyArray<string>) =>
  print(`  ${name.padEnd(34)}${values.map((value) => value.padStart(18)).join("")}`)

const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
const millis = (value: number): string => `${Math.round(value)} ms`
const kilobytes = (value: number): string => `${(value / 1000).toFixed(1)} kB`

/** Notes what holds up the page from its first moment on, and when the first row of a list stands there. */
const watch = () => {
  const seen = { blocked: 0, longest: 0, shownAt: 0 }
  Object.assign(globalThis, { seen })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      seen.blocked += Math.max(0, duration - 50)
      seen.longest = Math.max(seen.longest, duration)
    }
  }).observe({ type: "longtask", buffered: true })
  const look = () => {
    if (document.querySelector('[aria-rowindex="2"]') === null) requestAnimationFrame(look)
    else seen.shownAt = performance.now()
  }
  look()
}

/** Processor time of the page's main thread: other than its times it is the same on a busy machine. */
const countProcessor = async (page: Page) => {
  const protocol = await page.context().newCDPSession(page)
  await protocol.send("Performance.enable", { timeDomain: "threadTicks" })
  return async (): Promise<number> => {
    const { metrics } = await protocol.send("Performance.getMetrics")
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0)
  }
}

const blocked = (page: Page) =>
  page.evaluate(() => Reflect.get(globalThis, "seen") as { blocked: number; longest: number; shownAt: number })

/** Files that are smaller are counted together. */
const SHOWN_BYTES_MIN = 2_000

const printSizes = () => {
  print("\nSizes: scripts and styles as compressed by gzip")
  const assets = join(PAGE, "assets")
  const sizesOf = (ending: RegExp, form: string) => {
    const names = readdirSync(assets).filter((name) => ending.test(name))
    return names.map((name) => [name, statSync(join(assets, `${name}${form}`)).size] as const)
  }
  const sum = (sizes: ReadonlyArray<readonly [string, number]>) =>
    kilobytes(sizes.reduce((bytes, [, size]) => bytes + size, 0))
  const files = sizesOf(/\.(?:js|css)$/, ".gz").toSorted(([, one], [, other]) => other - one)
  const small = files.filter(([, bytes]) => bytes < SHOWN_BYTES_MIN)
  for (const [name, bytes] of files.slice(0, files.length - small.length)) row(name, kilobytes(bytes))
  row(`${small.length} smaller ones`, sum(small))
  row("all together", sum(files))
  row("fonts, loaded by script of text", sum(sizesOf(/\.woff2$/, "")))
}

const loadFirstPage = async ({ browser, key, stage }: OpenStage) => {
  const context = await contextOf(browser, stage, { key })
  await context.addInitScript(watch)
  const page = await context.newPage()
  const processor = await countProcessor(page)
  await page.goto("/runs")
  await page.locator('[aria-rowindex="2"]').waitFor()
  const timing = await page.evaluate(() => {
    const resources = performance.getEntriesByType("resource") as Array<PerformanceResourceTiming>
    const bytes = resources.reduce((sum, { transferSize }) => sum + transferSize, 0)
    const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0
    const assets = resources.filter(({ name }) => name.includes("/assets/")).length
    return { requests: resources.length + 1, assets, bytes, paint }
  })
  const load = { ...timing, ...(await blocked(page)), processor: await processor() }
  await context.close()
  return load
}

const measureFirstPage = async (open: OpenStage) => {
  const loads: Array<Awaited<ReturnType<typeof loadFirstPage>>> = []
  for (let load = 0; load < LOADS; load++) loads.push(await loadFirstPage(open))
  const median = (of: (load: (typeof loads)[number]) => number) => quantile(loads.map(of), 0.5)
  print(`\nThe list of runs, opened with an empty cache (median of ${LOADS})`)
  row("requests", String(median(({ requests }) => requests)), `${median(({ assets }) => assets)} of files`)
  row("bytes over the wire, fonts included", kilobytes(median(({ bytes }) => bytes)))
  row("first contentful paint", millis(median(({ paint }) => paint)))
  row("rows shown, keys work", millis(median(({ shownAt }) => shownAt)))
  row("blocking time", millis(median((load) => load.blocked)))
  row("processor time", millis(median(({ processor }) => processor)))
}

const measureRows = async ({ browser, key, stage }: OpenStage) => {
  const context = await contextOf(browser, stage, { key })
  await context.addInitScript(watch)
  const page = await context.newPage()
  const processor = await countProcessor(page)
  await page.goto("/runs")
  const rows = page.locator("[data-rows]")
  await rows.waitFor()
  const walk = (last: number) =>
    rows.evaluate(async (scroller, lastIndex) => {
      const frames: Array<number> = []
      scroller.scrollTop = 0
      while (scroller.querySelector('[aria-rowindex="2"]') === null) await new Promise(requestAnimationFrame)
      let before = performance.now()
      while (scroller.querySelector(`[aria-rowindex="${lastIndex}"]`) === null) {
        scroller.scrollTop += 360
        const now: number = await new Promise((resolve) => requestAnimationFrame(resolve))
        frames.push(now - before)
        before = now
      }
      return frames
    }, last)
  const total = ROWS + 2
  print(`\nA list of ${ROWS.toLocaleString("en")} rows, 360 px a frame`)
  for (const name of ["first time, while pages are read", "again"]) {
    const before = await processor()
    const frames = await walk(total)
    const each = ((await processor()) - before) / frames.length
    const [median, late, longest] = [0.5, 0.99, 1].map((part) => millis(quantile(frames, part)))
    row(name, `${frames.length} frames`, `median ${median}`, `99 % ${late}`, `max ${longest}`)
    row("", "processor", `${each.toFixed(1)} ms each`)
  }
  row("rows in the page", String(await rows.locator("[aria-rowindex]").count()))
  await context.close()
}

const measureLog = async ({ browser, key, stage }: OpenStage, runId: string) => {
  const context = await contextOf(browser, stage, { key })
  await context.addInitScript(watch)
  const page = await context.newPage()
  const processor = await countProcessor(page)
  await page.goto(`/runs/${runId}`)
  const log = page.getByRole("region", { name: "Log" })
  await log.getByText(`line ${LINES}`, { exact: true }).waitFor({ timeout: 300_000 })
  const { blocked: sum, longest } = await blocked(page)
  print(`\nA log of ${LINES.toLocaleString("en")} lines`)
  row("read and shown", millis(await page.evaluate(() => performance.now())))
  row("longest task", millis(longest))
  row("blocking time", millis(sum))
  row("processor time", millis(await processor()))
  row("entries in the page", String(await log.getByRole("listitem").count()))
  await context.close()
}

print(`Load of this machine before: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`)
await withStage(async (open) => {
  const { agentId, key, stage } = open
  const client = createClient({ baseUrl: stage.baseUrl, apiKey: key })
  const { run_id } = await client.runs.triggerRun({ body: { agent_id: agentId, message: "Hello", wait_seconds: 30 } })
  printSizes()
  await addRunsLike(stage, run_id, ROWS)
  await measureFirstPage(open)
  await measureRows(open)
  const agent = await startAgent()
  const made = await client.agents.createAgent({ body: { name: "Mine", recipe: "http", endpoint: { url: agent.url } } })
  const long = await client.runs.triggerRun({ body: { agent_id: made.agent_id, message: "Count" } })
  const turn = await agent.turn(0)
  await addLinesTo(stage, long.run_id, LINES)
  await measureLog(open, long.run_id)
  turn.end({ type: "result" })
  agent.stop()
})
