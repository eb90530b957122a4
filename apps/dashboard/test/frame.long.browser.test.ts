/** The frame around every screen: its navigation on a narrow screen, its menus, its drawer and its search. */
import { assert, it } from "vitest"
import { assertAccessible, assertFocusOn, describeScreen } from "./pages.ts"

describeScreen("the frame", ({ aPlace, openAs }) => {
  it("leads everywhere from one button on a narrow screen, by keys alone", async () => {
    const { key } = await aPlace()
    const page = await openAs(key, "/runs")
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByText("Nothing has run here yet").waitFor()
    const links = page.getByRole("navigation", { name: "Main" }).getByRole("link")
    assert.strictEqual(await links.count(), 0)
    const button = page.getByRole("button", { name: "Go to" })
    await button.focus()
    await page.keyboard.press("Enter")
    const menu = page.getByRole("menu")
    await menu.getByRole("menuitemradio", { name: "Runs", checked: true }).waitFor()
    await assertFocusOn(menu.or(menu.getByRole("menuitemradio")))
    await assertAccessible(page)
    await page.keyboard.press("Escape")
    await menu.waitFor({ state: "detached" })
    await assertFocusOn(button)
    for (const place of ["Usage", "Schedules", "Agents", "Activity", "Keys", "Sessions", "Runs"]) {
      await page.keyboard.press("Enter")
      await assertFocusOn(menu.or(menu.getByRole("menuitemradio")))
      const item = menu.getByRole("menuitemradio", { name: place })
      for (let step = 0; step < 12 && (await item.and(page.locator(":focus")).count()) === 0; step++) {
        await page.keyboard.press("ArrowDown")
      }
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: place, level: 1 }).waitFor()
      await assertFocusOn(button)
    }
  })

  it("has menus, a search and a drawer without a finding of axe", async () => {
    const { agentId, client, key } = await aPlace()
    const input = { steps: [{ fail: "out of words" }] }
    await client.runs.triggerRun({ body: { agent_id: agentId, input, wait_seconds: 30 } })
    const page = await openAs(key, "/runs")
    // On a narrow screen a row keeps its first cell while the others are scrolled sideways.
    const size = page.viewportSize() ?? { width: 0, height: 0 }
    await page.setViewportSize({ ...size, width: 360 })
    const first = page.getByRole("row").nth(1).getByRole("cell").first()
    await first.waitFor()
    await page.locator("[data-rows]").evaluate((rows) => rows.scrollTo(300, 0))
    assert.isAtLeast((await first.boundingBox())?.x ?? -1, 0)
    await page.setViewportSize(size)
    await page.getByRole("row").getByText("Failed").waitFor()
    // Each choice of a scheme has a sign of its own.
    await page.getByRole("button", { name: "Signed in as" }).click()
    const scheme = page.getByRole("menuitemradio").locator("svg:first-child path")
    await scheme.nth(2).waitFor()
    const drawn = await scheme.evaluateAll((paths) => paths.map((path) => path.getAttribute("d")))
    assert.strictEqual(new Set(drawn).size, 3)
    await page.keyboard.press("Escape")
    for (const name of ["Workspace", "Signed in as", "Status Any", "Agent Any"]) {
      const button = page.getByRole("button", { name })
      await button.click()
      await page.getByRole("menu").waitFor()
      await assertAccessible(page)
      await page.keyboard.press("Escape")
      await page.getByRole("menu").waitFor({ state: "detached" })
      await assertFocusOn(button)
    }
    await page.getByRole("button", { name: "Search" }).click()
    await page.getByRole("option", { name: "Go to Usage" }).waitFor()
    await assertAccessible(page)
    await page.getByRole("combobox", { name: "Search" }).fill("tests")
    await page.getByRole("option", { name: "Key Tests (" }).waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor()
    await page.goBack()
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Search" }).fill("notif")
    await page.getByRole("option", { name: "Notifications" }).waitFor()
    await page.keyboard.press("Enter")
    const drawer = page.getByRole("dialog", { name: "Notifications" })
    await assertFocusOn(drawer.getByRole("button", { name: "Close" }))
    await page.keyboard.press("Escape")
    await drawer.waitFor({ state: "detached" })

    await page.getByRole("button", { name: "Notifications 1" }).click()
    await drawer.getByText("out of words").waitFor()
    await assertAccessible(page)
    await drawer.getByRole("button", { name: "Show All" }).click()
    await page.getByRole("menu").waitFor()
    await assertAccessible(page)
  })
})
