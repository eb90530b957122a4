/** Texts of agents and callers, and names, at their worst on every screen: nothing of them runs, and every screen stays in reach. */
import { type AgentPlatformClient, createClient } from "@agent-platform/client"
import type { Page } from "playwright-core"
import { assert, it } from "vitest"
import { ownAgent } from "./ownAgent.ts"
import { assertWithin, describeScreen, type Place } from "./pages.ts"

/** Each would leave a mark, were it anything but text. */
const MARKUP =
  '<script>taken=1</script><img src=x onerror="taken=1"><svg onload="taken=1"><a href="javascript:taken=1">x</a>{{taken=1}}'

/** Other directions, and characters without a width. */
const BIDI = "\u202Egnp.exe أهلا بالعالم \u2066 a\u0301\u0301\u200b\ufeff 👩‍👩‍👧‍👦"

/** The colours and the bell of a terminal, and other ends of lines, which no name may have. */
const ODD = `${BIDI} \u001b[31mred\u001b[0m \u0007 \u2028 \r\n z`

const LONG_WORD = "W".repeat(100)

/** A line of a megabyte, in pieces that are kept whole. */
const LONG_LINE = Array.from({ length: 16 }, () => ({ type: "message.delta", text: "long".repeat(15_000) }))

const deep = (levels: number): unknown => (levels === 0 ? MARKUP : { [LONG_WORD]: [deep(levels - 1)] })

const CALLS = [
  { tool_call_id: "1", name: `${MARKUP}${ODD}`, input: { text: ODD } },
  { tool_call_id: "2", name: LONG_WORD.repeat(20), input: { [LONG_WORD]: LONG_WORD } }
]

/** Puts it wherever the API takes a text of somebody. */
const seed = async (place: Place, organization: AgentPlatformClient) => {
  const { client, workspaceId } = place
  const names = [MARKUP.slice(0, 100), BIDI, LONG_WORD]
  const params = { workspace_id: workspaceId }
  await organization.workspaces.updateWorkspace({ params, body: { name: names[0] ?? "" } })
  const agent = await ownAgent(place, names[1])
  for (const name of names) {
    await client.agents.createAgent({ body: { name, recipe: "demo", description: MARKUP, instructions: ODD } })
    await client.auth.createApiKey({ body: { name, scopes: ["runs:read"] } })
    await client.schedules.createSchedule({
      body: { agent_id: agent.agentId, name, cron: "0 0 1 1 *", message: MARKUP }
    })
  }
  const body = {
    agent_id: agent.agentId,
    message: `${MARKUP} ${ODD} ${LONG_WORD.repeat(50)}`,
    tags: [LONG_WORD.slice(0, 64), MARKUP.slice(0, 64)],
    metadata: { [LONG_WORD.slice(0, 64)]: LONG_WORD.repeat(5), [MARKUP.slice(0, 64)]: ODD }
  }
  const paused = await client.runs.triggerRun({ body })
  const turn = await agent.turn(0)
  turn.say(
    { type: "message.delta", text: `${MARKUP}\n${ODD}\n` },
    ...LONG_LINE,
    { type: "tool.started", name: `${MARKUP}${LONG_WORD}`, tool_call_id: "t", arguments: deep(40) },
    { type: "tool.completed", name: `${MARKUP}${LONG_WORD}`, tool_call_id: "t", result: { [MARKUP]: ODD } },
    { type: "tool.started", name: "other", order: { id: MARKUP }, [LONG_WORD]: 1 },
    { type: "log", message: ODD, level: deep(3) },
    { type: "log", message: MARKUP.repeat(200) }
  )
  turn.end({
    type: "pause",
    message: `${MARKUP} ${ODD} ${LONG_WORD.repeat(50)}`,
    interrupt: { type: "approvals", calls: CALLS }
  })
  const failed = await client.runs.triggerRun({ body: { agent_id: agent.agentId, message: ODD } })
  ;(await agent.turn(1)).end({ type: "fail", error: `${MARKUP} ${LONG_WORD.repeat(3)}` })
  const done = await client.runs.triggerRun({ body: { agent_id: agent.agentId, message: LONG_WORD } })
  ;(await agent.turn(2)).end({ type: "result", message: MARKUP, result: deep(40) })
  await client.runs.getRun({ params: { run_id: done.run_id }, query: { wait_seconds: 30 } })
  return { paused, failed, done, agentId: agent.agentId }
}

/** Goes to a screen as a link does. */
const visit = async (page: Page, path: string) => {
  await page.evaluate((to) => {
    history.pushState({}, "", to)
    dispatchEvent(new PopStateEvent("popstate"))
  }, path)
}

describeScreen("hostile texts", ({ aPlace, baseUrl, openAs, organizationKey }) => {
  it("are nothing but text on every screen, each of which stays within a wide and a narrow screen", async () => {
    const place = await aPlace()
    const organization = createClient({ baseUrl: baseUrl(), apiKey: organizationKey() })
    const { agentId, done, failed, paused } = await seed(place, organization)
    const page = await openAs(place.key, "/runs")
    const dialogs: Array<string> = []
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    const main = page.getByRole("main")
    const screens: ReadonlyArray<readonly [path: string, shows: string]> = [
      ["/runs", done.run_id.slice(-8)],
      [`/runs/${paused.run_id}`, "Send the decisions"],
      [`/runs/${failed.run_id}`, "Failed"],
      [`/runs/${done.run_id}`, "Result"],
      ["/sessions", done.session_id.slice(-8)],
      [`/sessions/${paused.session_id}`, "Send the decisions"],
      [`/sessions/${done.session_id}`, "Agent"],
      ["/usage", "This month"],
      ["/agents", LONG_WORD],
      [`/agents/${agentId}`, "Try it"],
      ["/schedules", LONG_WORD],
      ["/keys", LONG_WORD],
      ["/activity", "agent.created"]
    ]
    for (const [path, shows] of screens) {
      await visit(page, path)
      await main.getByText(shows).first().waitFor()
      await assertWithin(page)
      if (shows === "Send the decisions") {
        // Nothing that is approved reads as something else.
        const asked = await page.getByRole("region", { name: "Reply" }).getByRole("group").first().textContent()
        assert.include(asked, "\\u202egnp.exe")
      }
      assert.strictEqual(await main.locator("img, script, iframe, [href^=javascript]").count(), 0, path)
    }
    await page.keyboard.press("n")
    const drawer = page.getByRole("dialog", { name: "Notifications" })
    await drawer.getByText("Run failed", { exact: true }).first().waitFor()
    await assertWithin(page)
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Search" }).waitFor()
    await assertWithin(page)
    await page.keyboard.press("Escape")
    assert.deepStrictEqual(dialogs, [])
    assert.strictEqual(await page.evaluate(() => Reflect.get(globalThis, "taken")), undefined)
    assert.include(await page.title(), "Agent Platform")
  })

  it("of an agent's log and question leave the page within the screen, and what is long comes on demand", async () => {
    const place = await aPlace()
    const agent = await ownAgent(place)
    const run = await place.client.runs.triggerRun({ body: { agent_id: agent.agentId, message: "Hello" } })
    const turn = await agent.turn(0)
    turn.say(...LONG_LINE)
    turn.say(
      { type: "tool.started", name: "find", arguments: { id: 7 } },
      { type: "tool.started", name: "seek", order: 4711 }
    )
    turn.say({ type: "log", message: "long".repeat(40_000) })
    turn.end({ type: "result", message: "Done." })
    const page = await openAs(place.key, `/runs/${run.run_id}`)
    const log = page.getByRole("region", { name: "Log" })
    await log.getByText("Succeeded", { exact: true }).waitFor()
    await log.getByText("Cut off: it had").waitFor()
    await log.getByText('"id": 7').waitFor()
    await log.getByText('"order": 4711').waitFor()
    await log.getByRole("button", { name: "948,000 more characters" }).click()
    await log.getByRole("button", { name: "912,000 more characters" }).waitFor()
  })
})
