/** Nothing is missed between the first reading of something and the opening of its stream, nor while a tab rests. */
import type { Page } from "playwright-core"
import { assert, it, vi } from "vitest"
import { describeScreen, type Place, signIn } from "./pages.ts"

const isList = (response: { readonly url: () => string }) => response.url().endsWith("/notifications")

/** Keeps the streams of a page from being opened until they are let go. */
const holdStreams = async (page: Page): Promise<() => void> => {
  const held = Promise.withResolvers<void>()
  await page.route(/\/stream$/, async (route) => {
    await held.promise
    await route.continue().catch(() => undefined)
  })
  return held.resolve
}

/** Does something, and waits until the stream of notices has begun after it: the list is read for a second time then. */
const afterBeginning = async (page: Page, act: () => Promise<void>): Promise<void> => {
  let lists = 0
  page.on("response", (response) => {
    if (isList(response)) lists += 1
  })
  await act()
  await vi.waitUntil(() => lists === 2, { timeout: 30_000, interval: 50 })
}

/** A run that fails, whose notice is posted. */
const fail = async ({ agentId, client }: Place) => {
  const run = await client.runs.triggerRun({
    body: { agent_id: agentId, input: { steps: [{ fail: "out of words" }] }, wait_seconds: 30 }
  })
  await vi.waitUntil(async () => (await client.notifications.listNotifications()).unread_count === 1, {
    timeout: 30_000,
    interval: 100
  })
  return run
}

describeScreen("between a reading and its stream", ({ aPlace, open }) => {
  it("runs and notices come that neither would have had", async () => {
    const place = await aPlace()
    const { agentId, client } = place
    const before = await client.runs.triggerRun({ body: { agent_id: agentId, message: "One", wait_seconds: 30 } })
    const page = await open("/runs")
    const letGo = await holdStreams(page)
    const listed = page.waitForResponse(isList)
    await signIn(page, place.key)
    const row = (run: { readonly run_id: string }) => page.getByRole("row").filter({ hasText: run.run_id.slice(-8) })
    await row(before).getByText("Succeeded").waitFor()
    await (await listed).finished()
    const between = await fail(place)
    assert.strictEqual(await row(between).count(), 0)
    letGo()
    await row(between).getByText("Failed").waitFor()
    await page.getByRole("button", { name: "Notifications" }).getByText("1").waitFor()
  })

  it("messages of a session come", async () => {
    const { agentId, client, key } = await aPlace()
    const { session_id } = await client.runs.triggerRun({
      body: { agent_id: agentId, message: "The first", wait_seconds: 30 }
    })
    const page = await open(`/sessions/${session_id}`)
    const letGo = await holdStreams(page)
    await signIn(page, key)
    await page.getByRole("region", { name: "Messages" }).getByText("You said: The first").waitFor()
    await client.runs.triggerRun({ body: { agent_id: agentId, session_id, message: "The second", wait_seconds: 30 } })
    letGo()
    await page.getByRole("region", { name: "Messages" }).getByText("You said: The second").waitFor()
  })

  it("and while a tab rests before anything has come, nothing is lost", async () => {
    const place = await aPlace()
    const page = await open("/usage")
    const isStream = (request: { readonly url: () => string }) => request.url().endsWith("/notifications/stream")
    await afterBeginning(page, () => signIn(page, place.key))
    const look = (state: "hidden" | "visible") =>
      page.evaluate((value) => {
        Object.defineProperty(document, "visibilityState", { value, configurable: true })
        document.dispatchEvent(new Event("visibilitychange"))
      }, state)
    const gone = page.waitForEvent("requestfailed", isStream)
    await look("hidden")
    await gone
    await fail(place)
    const taken = page.waitForRequest(isStream)
    await look("visible")
    assert.isDefined((await taken).headers()["last-event-id"])
    await page.getByRole("button", { name: "Notifications" }).getByText("1").waitFor()
  })
})
