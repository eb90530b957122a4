/** Usage: what was spent by day and model, how runs ended, and what the cap leaves. */
import { text } from "node:stream/consumers"
import { createClient } from "@agent-platform/client"
import { assert, it, vi } from "vitest"
import { anOrganization } from "./ownOrganization.ts"
import { assertAccessible, describeScreen, type Place } from "./pages.ts"

const MODEL = "gpt-4o"

/** Runs that cost something, and one that fails; answers once they are counted. */
const spend = async ({ agentId, client }: Place): Promise<string> => {
  const steps = [{ spend: { provider: "openai", model: MODEL, input_tokens: 200_000, output_tokens: 10 } }]
  for (const input of [{ steps }, { steps: [{ fail: "out of words" }] }]) {
    await client.runs.triggerRun({ body: { agent_id: agentId, input, wait_seconds: 30 } })
  }
  return vi.waitUntil(
    async () => {
      const { items, totals } = await client.analytics.readBillingMonth()
      return Number(totals.cost_usd) > 0 && totals.runs === 2 && items.at(-1)?.date
    },
    { timeout: 30_000, interval: 250 }
  )
}

describeScreen("usage", ({ aPlace, baseUrl, openAs, stage }) => {
  it("is seen by day and model, without a finding of axe", async () => {
    const place = await aPlace()
    const date = await spend(place)
    const page = await openAs(place.key, "/usage")
    const cost = page.getByRole("region", { name: /^Cost in/ })
    await cost.getByText(MODEL).waitFor()
    const outcomes = page.getByRole("region", { name: "Outcomes of the last 30 days" })
    await outcomes.getByRole("slider").waitFor()
    await assertAccessible(page)
    // Each series has a colour of its own: a shape without one is black.
    for (const chart of [cost, outcomes]) {
      const fills = await chart
        .locator("svg g[class^=fill-], svg rect[class^=fill-]")
        .evaluateAll((shapes) => shapes.map((shape) => getComputedStyle(shape).fill))
      assert.isAtLeast(new Set(fills).size, 2)
      assert.notInclude(fills, "rgb(0, 0, 0)")
    }
    await page.getByText("A run that ended on a question counts as paused").waitFor()
    // Amounts of an axis have as many digits as each other.
    const amounts = await cost.locator("svg text[text-anchor=end]").allTextContents()
    assert.deepStrictEqual([...new Set(amounts.map((amount) => amount.split(".")[1]?.length))], [2])
    // Runs are counted in whole ones, also where there are few.
    const ticks = await outcomes.locator("svg text[text-anchor=end]").allTextContents()
    assert.deepStrictEqual(ticks, ["0", "1", "2"])
    const slider = outcomes.getByRole("slider")
    assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /: 2$/)
    await slider.focus()
    await page.keyboard.press("ArrowLeft")
    assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /: 0$/)
    await page.keyboard.press("End")
    assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /: 2$/)
    await cost.getByRole("button", { name: "Table" }).click()
    await cost.getByRole("columnheader", { name: MODEL }).waitFor()
    await assertAccessible(page)
    const saved = page.waitForEvent("download")
    await cost.getByRole("button", { name: "CSV" }).click()
    const file = await saved
    assert.strictEqual(file.suggestedFilename(), `usage-${date.slice(0, 7)}.csv`)
    const [titles, line] = (await text(await file.createReadStream())).split("\r\n")
    assert.match(titles ?? "", /^date,model,requests/)
    assert.include(line ?? "", `${date},${MODEL},1,200000,10,`)
  })

  it("says what is spent, held and left of the cap", async () => {
    const place = await aPlace()
    await spend(place)
    const organization = createClient({ baseUrl: baseUrl(), apiKey: stage.orgKey })
    await organization.workspaces.updateWorkspace({
      params: { workspace_id: place.workspaceId },
      body: { monthly_cap_usd: "0.51" }
    })
    const { spend_cap } = await place.client.workspaces.readWorkspace()
    const page = await openAs(place.key, "/usage")
    const month = page.getByRole("region", { name: "This month" })
    await month.getByText("Near the cap").waitFor()
    await month.getByText("$0.51", { exact: true }).waitFor()
    const left = (0.51 - Number(spend_cap.spent_usd)).toFixed(4)
    await month.getByText(`$${left}`, { exact: true }).waitFor()
  })

  it("is seen by other parts, and of the whole organization by workspace", async () => {
    const { inside, key, one, two } = await anOrganization(stage)
    const spent = async (workspaceId: string, name: string) => {
      const client = inside(workspaceId)
      const { agent_id: agentId } = await client.agents.createAgent({ body: { name, recipe: "demo" } })
      return spend({ agentId, client, key, workspaceId })
    }
    const date = await spent(one, "Greeter")
    await spent(two, "Other")
    const page = await openAs(key, "/usage")
    const cost = page.getByRole("region", { name: /^Cost in/ })
    await cost.getByText(MODEL).waitFor()
    await page.getByRole("button", { name: "By Model" }).click()
    await page.getByRole("menuitemradio", { name: "Agent" }).click()
    await cost.getByText(/^(Greeter|Other)$/).waitFor()
    assert.strictEqual(new URL(page.url()).search, "?by=agent_id")

    await page.getByRole("navigation", { name: "Whose usage" }).getByRole("link", { name: "Organization" }).click()
    await cost.getByText("One", { exact: true }).waitFor()
    await cost.getByText("Two", { exact: true }).waitFor()
    await page.getByText("2 requests to models").waitFor()
    await page.getByRole("region", { name: "Outcomes of the last 7 days" }).getByRole("slider").waitFor()
    assert.strictEqual(await page.getByRole("region", { name: "This month" }).count(), 0)
    await assertAccessible(page)
    const saved = page.waitForEvent("download")
    await cost.getByRole("button", { name: "CSV" }).click()
    const lines = (await text(await (await saved).createReadStream())).split("\r\n")
    assert.match(lines[0] ?? "", /^date,workspace_id,workspace_name,model,requests/)
    assert.sameMembers(
      lines.filter((line) => line.startsWith(date)).map((line) => line.split(",").slice(0, 5).join()),
      [`${date},${one},One,${MODEL},1`, `${date},${two},Two,${MODEL},1`]
    )
    await page.getByRole("button", { name: "By Workspace" }).click()
    await page.getByRole("menuitemradio", { name: "Model" }).click()
    await cost.getByText(MODEL).waitFor()
  })

  it("is the month of the address, and nothing to who may not see it", async () => {
    const { key } = await aPlace()
    const page = await openAs(key, "/usage?month=2026-02")
    await page.getByRole("button", { name: "Month February 2026" }).waitFor()
    await page.getByRole("region", { name: "Cost in February 2026" }).waitFor()
    const reader = await aPlace(["runs:read", "agents:read"])
    const without = await openAs(reader.key, "/usage")
    await without.getByRole("alert").first().waitFor()
    assert.strictEqual(await without.getByRole("link", { name: "Usage" }).count(), 0)
    assert.strictEqual(await page.getByRole("navigation", { name: "Whose usage" }).count(), 0)
  })
})
