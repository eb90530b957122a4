/** Notices come by a stream, which a hidden tab lets go. */
import { assert, it } from "vitest"
import { describeScreen } from "./pages.ts"

const isStream = (request: { readonly url: () => string }) => request.url().endsWith("/notifications/stream")

describeScreen("unread notices", ({ aPlace, openAs }) => {
  it("are counted as they are posted, and ask nothing while nobody looks", async () => {
    const { agentId, client, key } = await aPlace()
    const failing = { agent_id: agentId, input: { steps: [{ fail: "out of words" }] } }
    const page = await openAs(key, "/usage")
    // Its connection stands before anything is posted.
    await page.waitForResponse((response) => isStream(response.request()))
    const lists: Array<string> = []
    page.on("request", (request) => request.url().includes("/notifications") && lists.push(request.url()))
    await client.runs.triggerRun({ body: failing })
    await page.getByRole("button", { name: "Notifications" }).getByText("1").waitFor()
    // Once for what was posted.
    assert.lengthOf(lists, 1)

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
