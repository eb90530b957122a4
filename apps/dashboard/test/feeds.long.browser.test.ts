/** Notices in their drawer, and the record of actions with its filters. */
import { assert, it, vi } from "vitest"
import { assertAccessible, describeScreen, type Place } from "./pages.ts"

/** A run that fails, once its notice is there. */
const aFailure = async ({ agentId, client }: Place) => {
  const input = { steps: [{ fail: "out of words" }] }
  const run = await client.runs.triggerRun({ body: { agent_id: agentId, input, wait_seconds: 30 } })
  await vi.waitUntil(async () => (await client.notifications.listNotifications()).unread_count === 1, {
    timeout: 30_000,
    interval: 250
  })
  return run
}

describeScreen("notifications", ({ aPlace, openAs }) => {
  it("are counted, opened, followed and marked, without a finding of axe", async () => {
    const place = await aPlace()
    const run = await aFailure(place)
    const page = await openAs(place.key, "/activity")
    await page.getByRole("button", { name: "Notifications 1 unread" }).click()
    const drawer = page.getByRole("dialog", { name: "Notifications" })
    await drawer.getByText("Run failed", { exact: true }).waitFor()
    await assertAccessible(page)
    await drawer.getByRole("link", { name: "Open the run" }).click()
    await page.waitForURL(`**/runs/${run.run_id}`)
    await drawer.waitFor({ state: "detached" })
    await page.getByRole("region", { name: "Log" }).waitFor()
    await page.keyboard.press("n")
    await drawer.getByRole("button", { name: "Mark as read" }).click()
    await drawer.getByText("Nothing unread").waitFor()
    assert.strictEqual((await place.client.notifications.listNotifications()).unread_count, 0)
    await drawer.getByRole("button", { name: "Show All" }).click()
    await page.getByRole("menuitemradio", { name: "Unread" }).click()
    await drawer.getByText("All is read.").waitFor()
    await page.keyboard.press("Escape")
    await drawer.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Notifications", exact: true }).waitFor()

    // A question that is answered elsewhere leaves nothing unread, and its notice says so.
    const asked = await place.client.runs.triggerRun({
      body: { agent_id: place.agentId, input: { steps: [{ ask: "Shall I?" }] }, wait_seconds: 30 }
    })
    await page.getByRole("button", { name: "Notifications 1 unread" }).waitFor()
    await place.client.sessions.replyToSession({ params: { session_id: asked.session_id }, body: { message: "Yes" } })
    await page.getByRole("button", { name: "Notifications", exact: true }).click()
    await drawer.getByText("A run's question was answered").waitFor()
  })

  it("are not offered to who may not see them", async () => {
    const { key } = await aPlace(["runs:read", "agents:read"])
    const page = await openAs(key, "/runs")
    await page.getByText("Nothing has run here yet").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Notifications" }).count(), 0)
    assert.strictEqual(await page.getByRole("link", { name: "Activity" }).count(), 0)
  })
})

describeScreen("activity", ({ aPlace, openAs }) => {
  it("is filtered and read closely, without a finding of axe", async () => {
    const { agentId, client, key } = await aPlace()
    const run = await client.runs.triggerRun({ body: { agent_id: agentId, message: "Hello", wait_seconds: 30 } })
    const page = await openAs(key, "/activity")
    const table = page.getByRole("table", { name: "Activity" })
    await table.getByRole("link", { name: "agent.created" }).waitFor()
    await table
      .getByRole("link", { name: /^run\./ })
      .first()
      .waitFor()
    await assertAccessible(page)
    await page.getByRole("button", { name: "About Any" }).click()
    await page.getByRole("menuitemradio", { name: "Run" }).click()
    await table.getByRole("link", { name: "agent.created" }).waitFor({ state: "detached" })
    assert.strictEqual(new URL(page.url()).search, "?resource=run")
    await table
      .getByRole("link", { name: /^run\./ })
      .first()
      .click()
    const entry = page.getByRole("dialog", { name: /^run\./ })
    await entry.getByText(run.run_id).first().waitFor()
    await assertAccessible(page)
    await page.keyboard.press("Escape")
    await entry.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "About Run" }).click()
    await page.getByRole("menuitemradio", { name: "Schedule" }).click()
    await page.getByRole("button", { name: "Show all activity" }).click()
    await table.getByRole("link", { name: "agent.created" }).waitFor()
  })
})
