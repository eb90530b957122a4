/** Notices come by a stream, which a hidden tab lets go. */
import { assert, it, vi } from "vitest"
import { describeScreen, signIn } from "./pages.ts"

const isStream = (request: { readonly url: () => string }) => request.url().endsWith("/notifications/stream")
const isList = (request: { readonly url: () => string }) => request.url().endsWith("/notifications")

describeScreen("unread notices", ({ aPlace, open, openAs }) => {
  it("are counted as they are posted, and ask nothing while nobody looks", async () => {
    const { agentId, client, key } = await aPlace()
    const failing = { agent_id: agentId, input: { steps: [{ fail: "out of words" }] } }
    const page = await open("/usage")
    const lists: Array<string> = []
    page.on("requestfinished", (request) => isList(request) && lists.push(request.url()))
    await signIn(page, key)
    // The stream has begun, and the list was read for a second time, before anything is posted.
    await vi.waitUntil(() => lists.length === 2, { timeout: 30_000, interval: 50 })
    await client.runs.triggerRun({ body: failing })
    await page.getByRole("button", { name: "Notifications" }).getByText("1").waitFor()
    // Once for what was posted.
    assert.lengthOf(lists, 3)

    const look = (state: "hidden" | "visible") =>
      page.evaluate((value) => {
        Object.defineProperty(document, "visibilityState", { value, configurable: true })
        document.dispatchEvent(new Event("visibilitychange"))
      }, state)
    const letGo = page.waitForEvent("requestfailed", isStream)
    await look("hidden")
    await letGo
    await client.runs.triggerRun({ body: failing })
    const taken = page.waitForRequest(isStream)
    await look("visible")
    assert.isDefined((await taken).headers()["last-event-id"])
    await page.getByRole("button", { name: "Notifications" }).getByText("2").waitFor()
  })

  it("are none of who may not see them", async () => {
    const { key } = await aPlace(["runs:read"])
    const page = await openAs(key, "/runs")
    await page.getByRole("heading", { name: "Runs" }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Notifications" }).count(), 0)
  })
})
