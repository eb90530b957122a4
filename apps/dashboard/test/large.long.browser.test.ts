/** Lists and logs of any length: the page holds a bounded part of them, and all of them can be reached. */
import { assert, it, vi } from "vitest"
import { addLinesTo, addRunsLike } from "./manyRows.ts"
import { ownAgent } from "./ownAgent.ts"
import { describeScreen } from "./pages.ts"

const RUNS = 10_000
const LINES = 100_000

/** One row is its titles, and one is the run that the others are like. */
const WALK = { rowPixels: 36, rowCount: RUNS + 2 }

/** Rows and entries that may be in the page at once. */
const ROWS_MAX = 80
const ENTRIES_MAX = 800

describeScreen("what is long", ({ aPlace, openAs, stage }) => {
  it("is a list of 10,000 rows, each of which is reached by scrolling, while few are in the page", async () => {
    const { agentId, client, key } = await aPlace()
    const run = await client.runs.triggerRun({ body: { agent_id: agentId, message: "Hello", wait_seconds: 30 } })
    await addRunsLike(stage, run.run_id, RUNS)
    const page = await openAs(key, "/runs")
    const table = page.getByRole("table", { name: "Runs" })
    await table.waitFor()
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    const walked = await page.evaluate(async ({ rowCount, rowPixels }) => {
      const scroller = document.querySelector("[data-rows]") as HTMLElement
      const seen = new Set<string>()
      let most = 0
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      /** Notes the rows in the page, once that at the lower edge is among them. */
      const note = async () => {
        const come = Number(scroller.querySelector("[aria-rowcount]")?.getAttribute("aria-rowcount"))
        const wanted = Math.min(come, Math.floor((scroller.scrollTop + scroller.clientHeight) / rowPixels))
        while (scroller.querySelector(`[aria-rowindex="${wanted}"]`) === null) await frame()
        const rows = scroller.querySelectorAll("[aria-rowindex]")
        most = Math.max(most, rows.length)
        for (const row of rows) seen.add(row.getAttribute("aria-rowindex") ?? "")
      }
      await note()
      // Pages come while it is scrolled.
      while (!seen.has(String(rowCount))) {
        scroller.scrollTop += rowPixels * 28
        await frame()
        await note()
      }
      return { seen: seen.size, most }
    }, WALK)
    assert.strictEqual(walked.seen, WALK.rowCount)
    assert.isAtMost(walked.most, ROWS_MAX)
    assert.strictEqual(await table.getAttribute("aria-rowcount"), String(WALK.rowCount))

    // Who looks at the tab again, or comes back to the list, does not read 200 pages anew.
    const lists = () => asked.filter((url) => url.includes("/api/v1/runs/?"))
    const before = lists().length
    await page.evaluate(() => dispatchEvent(new Event("visibilitychange")))
    await page.getByRole("link", { name: "Sessions" }).click()
    await page.getByRole("table", { name: "Sessions" }).waitFor()
    await page.getByRole("link", { name: "Runs" }).click()
    await table.getByText(run.run_id.slice(-8)).waitFor()
    await page.getByRole("link", { name: "Sessions" }).click()
    await page.getByRole("table", { name: "Sessions" }).waitFor()
    // The page that is kept and the one below it, and both once more if the stream has begun before one leaves again.
    const again = lists().slice(before)
    assert.isAtMost(new Set(again).size, 2, again.join("\n"))
    assert.isAtMost(again.length, 4, again.join("\n"))
  })

  it("is a log of 100,000 lines, read from its end to its beginning, while few are in the page", async () => {
    const place = await aPlace()
    const agent = await ownAgent(place)
    const { run_id } = await place.client.runs.triggerRun({ body: { agent_id: agent.agentId, message: "Count" } })
    const turn = await agent.turn(0)
    // Its log begins before its agent is asked.
    await vi.waitUntil(async () => (await place.client.runs.getRun({ params: { run_id } })).status === "running", {
      timeout: 30_000,
      interval: 50
    })
    await addLinesTo(stage, run_id, LINES)
    const page = await openAs(place.key, `/runs/${run_id}`)
    const log = page.getByRole("region", { name: "Log" })
    await log.getByText(`line ${LINES}`, { exact: true }).waitFor({ timeout: 240_000 })
    turn.say({ type: "log", message: "one more" })
    await log.getByText("one more").waitFor()
    const isAtEnd = () =>
      log.evaluate(({ clientHeight, scrollHeight, scrollTop }) => scrollHeight - scrollTop - clientHeight < 4)
    assert.isTrue(await isAtEnd())
    const entries = log.getByRole("listitem")
    await log.getByRole("button", { name: "earlier entries" }).focus()
    await page.keyboard.press("Enter")
    assert.strictEqual(await entries.count(), ENTRIES_MAX)
    await log.getByRole("button", { name: "To the beginning" }).focus()
    await page.keyboard.press("Enter")
    await log.getByText("line 1", { exact: true }).waitFor()
    assert.isAtMost(await entries.count(), ENTRIES_MAX)
    assert.isTrue(await log.evaluate((element) => element.contains(document.activeElement)))
    // An entry that comes meanwhile moves nothing, and is counted.
    turn.say({ type: "log", message: "the last one" })
    turn.end({ type: "result", message: "Counted." })
    await page.getByRole("status").getByText("Succeeded").waitFor()
    await log.getByText("line 1", { exact: true }).waitFor()
    await log.getByRole("button", { name: "later entries" }).click()
    await log.getByText("line 1000", { exact: true }).waitFor()
    assert.isAtMost(await entries.count(), ENTRIES_MAX)
    await log.getByRole("button", { name: "To the end" }).click()
    await log.getByText("the last one").waitFor()
    assert.isTrue(await isAtEnd())
  })
})
