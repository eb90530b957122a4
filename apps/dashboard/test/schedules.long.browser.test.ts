/** Schedules: made, paused and ended. */
import { assert, it } from "vitest"
import { assertAccessible, describeScreen } from "./pages.ts"

describeScreen("the schedules", ({ aPlace, openAs }) => {
  it("are made, paused, changed and deleted", async () => {
    const { agentId, client, key } = await aPlace()
    // The newest agent has no key to call its model with.
    await client.agents.createAgent({ body: { name: "Talker", recipe: "chat", model: "openai/gpt-5" } })
    const page = await openAs(key, "/schedules")
    await page.getByText("Nothing runs by itself yet").waitFor()
    // The command is as whole as the page can make it, and says where the rest is.
    await page.locator("pre").getByText(`"agent_id": "${agentId}"`).waitFor()
    await page.getByText("Make a key of this workspace to put in the place of $KEY.").waitFor()
    await assertAccessible(page)
    await page.getByRole("button", { name: "New schedule" }).click()
    await page.getByRole("button", { name: "Agent Scripted" }).waitFor()
    await page.getByLabel("Name").fill("Morning")
    await page.getByLabel("Cron expression").fill("at nine")
    await page.getByLabel("Time zone").fill("Europe/Berlin")
    await page.getByRole("button", { name: "Create the schedule" }).click()
    // Once, and at the box that it is about.
    const fault = page.getByRole("alert")
    await fault.filter({ hasText: /^Cron expression must / }).waitFor()
    assert.strictEqual(await fault.count(), 1)
    const box = page.getByLabel("Cron expression")
    assert.strictEqual(await box.getAttribute("aria-invalid"), "true")
    assert.include((await box.getAttribute("aria-describedby")) ?? "", (await fault.getAttribute("id")) ?? "none")
    await assertAccessible(page)
    await page.getByLabel("Cron expression").fill("0 9 * * *")
    await page.getByLabel("Message").fill("Good morning")
    await page.getByRole("button", { name: "Create the schedule" }).click()
    const row = page.getByRole("row").filter({ hasText: "Morning" })
    await row.getByText("Scripted").waitFor()
    await assertAccessible(page)
    const made = async () =>
      (await client.schedules.listSchedules()).items.map(({ cron, enabled, timezone }) => [cron, timezone, enabled])
    assert.deepStrictEqual(await made(), [["0 9 * * *", "Europe/Berlin", true]])
    // A next time that passes while one looks is followed by what comes after it.
    const other = await openAs(key, "/agents")
    await other.route(
      "**/api/v1/schedules?*",
      async (route) => {
        const answer = await route.fetch()
        const body = await answer.json()
        const next_run_at = new Date(Date.now() + 500).toISOString()
        await route.fulfill({
          response: answer,
          json: { ...body, items: [{ ...body.items[0], name: "Due", next_run_at }] }
        })
      },
      { times: 1 }
    )
    await other.getByRole("link", { name: "Schedules" }).click()
    await other.getByRole("row").filter({ hasText: "Due" }).waitFor()
    await other.getByRole("row").filter({ hasText: "Morning" }).waitFor()
    await other.close()
    const act = async (action: string) => {
      await row.getByRole("button", { name: "Actions for Morning" }).click()
      await page.getByRole("menuitem", { name: action }).click()
    }
    await act("Pause")
    await row.getByText("Paused").waitFor()
    assert.deepStrictEqual(await made(), [["0 9 * * *", "Europe/Berlin", false]])
    await act("Go on")
    await row.getByText("On", { exact: true }).waitFor()
    await act("Change")
    await page.getByLabel("Cron expression").fill("30 8 * * *")
    await page.getByRole("button", { name: "Save" }).click()
    await row.getByText("30 8 * * *").waitFor()
    await act("Delete")
    await assertAccessible(page)
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("Nothing runs by itself yet").waitFor()
    assert.deepStrictEqual(await made(), [])
  })
})
