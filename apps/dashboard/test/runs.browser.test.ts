/** Signing in, and the runs of a workspace as they change. */
import { assert, expect, it } from "vitest"
import { assertAccessible, describeScreen } from "./pages.ts"

describeScreen("the list of runs", ({ aPlace, open, openAs }) => {
  it("is reached by a key that is pasted, without a finding of axe", async () => {
    const { agentId, client, key } = await aPlace()
    const run = await client.runs.triggerRun({ body: { agent_id: agentId, message: "Hello", wait_seconds: 30 } })
    await client.agents.createAgent({ body: { name: "Newer", recipe: "demo" } })
    const page = await open("/")
    await page.getByLabel("API key").waitFor()
    await assertAccessible(page)
    await page.getByLabel("API key").fill(key)
    await page.getByRole("button", { name: "Sign in" }).click()
    const row = page.getByRole("row").filter({ hasText: run.run_id.slice(-8) })
    await row.getByText("Succeeded").waitFor()
    await row.getByText("Scripted").waitFor()
    assert.strictEqual(new URL(page.url()).pathname, "/runs")
    await assertAccessible(page)
    await page.getByRole("button", { name: "New run" }).click()
    const form = page.getByRole("dialog", { name: "New run" })
    // The agent that ran last, though another is newer.
    await form.getByRole("button", { name: "Agent Scripted" }).waitFor()
    await form.getByLabel("Message").fill("By hand")
    await assertAccessible(page)
    await form.getByRole("button", { name: "Run", exact: true }).click()
    await page.waitForURL("**/runs/*")
    await page.getByRole("region", { name: "Log" }).getByText("You said: By hand").waitFor()
  })

  it("says why a key is not taken, and keeps nothing of it", async () => {
    const page = await open("/runs")
    await page.getByLabel("API key").fill("apk_ws_not_a_key")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("alert").waitFor()
    assert.strictEqual(await page.evaluate(() => sessionStorage.length + localStorage.length), 0)
  })

  it("holds its key in the tab alone, and leaves by signing out", async () => {
    const { key } = await aPlace()
    const page = await openAs(key, "/runs")
    await page.getByText("Nothing has run here yet").waitFor()
    const kept = await page.evaluate(() => [JSON.stringify(localStorage), document.cookie].join(" "))
    assert.notInclude(kept, key)
    await page.reload()
    await page.getByText("Nothing has run here yet").waitFor()
    const menu = page.getByRole("button", { name: "Signed in as" })
    await menu.click()
    const system = page.getByRole("menuitemradio", { name: "As the system", checked: true })
    await system.waitFor()
    await page.getByRole("menuitemradio", { name: "Dark", checked: false }).click()
    await system.waitFor({ state: "detached" })
    await menu.click()
    await page.getByRole("menuitemradio", { name: "Dark", checked: true }).waitFor()
    assert.strictEqual(await system.count(), 0)
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByLabel("API key").waitFor()
    assert.strictEqual(await page.evaluate(() => sessionStorage.length), 0)
  })

  it("shows the first run at once, counts those that come later, and shows them when asked", async () => {
    const { agentId, client, key } = await aPlace()
    const page = await openAs(key, "/runs")
    await page.getByText("Nothing has run here yet").waitFor()
    const first = await client.runs.triggerRun({ body: { agent_id: agentId, message: "One" } })
    await page
      .getByRole("row")
      .filter({ hasText: first.run_id.slice(-8) })
      .getByText("Succeeded")
      .waitFor()
    const second = await client.runs.triggerRun({ body: { agent_id: agentId, message: "Two" } })
    await page.getByRole("button", { name: "1 new" }).click()
    await page
      .getByRole("row")
      .filter({ hasText: second.run_id.slice(-8) })
      .getByText("Succeeded")
      .waitFor()
  })

  it("is read before anything that can wait", async () => {
    const { agentId, client, key } = await aPlace()
    await client.runs.triggerRun({ body: { agent_id: agentId, message: "Hello", wait_seconds: 30 } })
    const page = await openAs(key, "/runs")
    await page.getByRole("row").getByText("Succeeded").waitFor()
    const asked: Array<string> = []
    page.on("request", (request) => void asked.push(`asks ${new URL(request.url()).pathname}`))
    page.on("response", (response) => void asked.push(`has ${new URL(response.url()).pathname}`))
    // Until the page has gone, it still asks and is answered.
    page.once("framenavigated", () => asked.splice(0))
    await page.reload()
    await page.getByRole("row").getByText("Succeeded").waitFor()
    await expect.poll(() => asked, { timeout: 30_000 }).toContain("has /api/v1/notifications")
    const place = (line: string) => asked.indexOf(line)
    // Two rounds: who calls, in which workspaces; then the rows.
    assert.isBelow(place("asks /api/v1/auth/workspaces"), place("has /api/v1/auth/me"))
    assert.isAtLeast(place("has /api/v1/runs/"), 0)
    const later = asked.filter((line) => /^asks .*\/(?:stream|notifications)$/.test(line))
    assert.isAtLeast(later.length, 3, asked.join("\n"))
    for (const line of later) assert.isAbove(place(line), place("has /api/v1/runs/"), asked.join("\n"))
  })

  it("is filtered by its address", async () => {
    const { agentId, client, key } = await aPlace()
    const input = { steps: [{ fail: "out of words" }] }
    const failed = await client.runs.triggerRun({ body: { agent_id: agentId, input, wait_seconds: 30 } })
    const good = await client.runs.triggerRun({ body: { agent_id: agentId, message: "Hello", wait_seconds: 30 } })
    const page = await openAs(key, "/runs?status=failed")
    await page
      .getByRole("row")
      .filter({ hasText: failed.run_id.slice(-8) })
      .getByText("out of words")
      .waitFor()
    assert.strictEqual(
      await page
        .getByRole("row")
        .filter({ hasText: good.run_id.slice(-8) })
        .count(),
      0
    )
    await page.getByRole("button", { name: "Status Failed" }).click()
    await page.getByRole("menuitemradio", { name: "Any" }).click()
    await page
      .getByRole("row")
      .filter({ hasText: good.run_id.slice(-8) })
      .waitFor()
    assert.strictEqual(new URL(page.url()).search, "")
  })

  it("is walked by keys, to a run and back", async () => {
    const { agentId, client, key } = await aPlace()
    const run = await client.runs.triggerRun({ body: { agent_id: agentId, message: "Hello", wait_seconds: 30 } })
    const page = await openAs(key, "/runs")
    await page
      .getByRole("row")
      .filter({ hasText: run.run_id.slice(-8) })
      .waitFor()
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.waitForURL(`**/runs/${run.run_id}`)
    await page.keyboard.press("g")
    await page.keyboard.press("r")
    await page.waitForURL("**/runs")
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Next row").waitFor()
    await assertAccessible(page)
    await page.keyboard.press("Escape")
    const search = async (text: string, option: string) => {
      await page.keyboard.press("Control+k")
      await page.getByRole("combobox", { name: "Search" }).fill(text)
      await page.getByRole("option", { name: option }).waitFor()
      await page.keyboard.press("Enter")
    }
    await search(run.run_id, "open this run")
    await page.waitForURL(`**/runs/${run.run_id}`)
    await search("scrip", "Agent Scripted")
    await page.waitForURL(`**/agents/${agentId}`)
    // By the end of its id, as lists show it.
    await search(run.run_id.slice(-8), `Run ${run.run_id.slice(-8)}: Scripted, Succeeded`)
    await page.waitForURL(`**/runs/${run.run_id}`)
    await search(run.session_id, "open this session")
    await page.waitForURL(`**/sessions/${run.session_id}`)
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Search" }).fill(crypto.randomUUID())
    await page.getByText("Nothing in this workspace has this id.").waitFor()
    assert.strictEqual(await page.getByRole("option").count(), 0)
  })
})
