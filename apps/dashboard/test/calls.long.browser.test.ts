/** Calls of tools that wait: decided and answered in a run and in a chat, by the keyboard alone. */
import type { Locator, Page } from "playwright-core"
import { assert, it } from "vitest"
import { ownAgent } from "./ownAgent.ts"
import { assertAccessible, describeScreen } from "./pages.ts"

const CALLS = [
  { tool_call_id: "call_1", name: "refund", input: { amount: 40, currency: "EUR" } },
  { tool_call_id: "call_2", name: "apologise", input: {} },
  { tool_call_id: "call_3", name: "close", input: { id: 7 } }
]

/** Goes on by Tab until this has the focus. */
const tabTo = async (page: Page, to: Locator): Promise<void> => {
  for (let pressed = 0; pressed < 60; pressed++) {
    if (await to.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press("Tab")
  }
  assert.fail(`${await to.evaluate((element) => element.outerHTML)} is not reached by Tab`)
}

/** Chooses an item of a menu. */
const choose = async (page: Page, menu: Locator, item: string): Promise<void> => {
  await tabTo(page, menu)
  await page.keyboard.press("Enter")
  const wanted = page.getByRole("menuitemradio", { name: item })
  await wanted.waitFor()
  for (let pressed = 0; pressed < 10; pressed++) {
    if ((await wanted.getAttribute("data-highlighted")) !== null) break
    await page.keyboard.press("ArrowDown")
  }
  await page.keyboard.press("Enter")
  await wanted.waitFor({ state: "detached" })
}

describeScreen("calls that wait", ({ aPlace, openAs }) => {
  it("are approved with other arguments, denied with a reason, and answered, by keys alone", async () => {
    const place = await aPlace()
    const agent = await ownAgent(place)
    const run = await place.client.runs.triggerRun({ body: { agent_id: agent.agentId, message: "Refund" } })
    ;(await agent.turn(0)).end({
      type: "pause",
      message: "May I?",
      interrupt: { type: "approvals", calls: CALLS }
    })
    const page = await openAs(place.key, `/runs/${run.run_id}`)
    const reply = page.getByRole("region", { name: "Reply" })
    const call = (name: string) => reply.getByRole("group", { name })
    const send = reply.getByRole("button", { name: "Send the decisions" })
    await send.waitFor()
    assert.isTrue(await send.isDisabled())

    await choose(page, call("refund").getByRole("button", { name: "Decision" }), "Approve")
    await tabTo(page, call("refund").getByRole("button", { name: "Edit the arguments" }))
    await page.keyboard.press("Enter")
    await tabTo(page, call("refund").getByLabel("Arguments"))
    await page.keyboard.press("Control+a")
    await page.keyboard.type('{"amount": 20')
    await call("refund").getByText("This is no object of JSON yet.").waitFor()
    assert.isTrue(await send.isDisabled())
    await page.keyboard.type("}")
    await choose(page, call("apologise").getByRole("button", { name: "Decision" }), "Deny")
    await tabTo(page, call("apologise").getByLabel("Reason"))
    await page.keyboard.type("No need")
    await assertAccessible(page)
    await choose(page, call("close").getByRole("button", { name: "Decision" }), "Approve")
    await tabTo(page, send)
    await page.keyboard.press("Enter")

    const second = await agent.turn(1)
    assert.deepStrictEqual(second.asked.input?.["approvals"], [
      { tool_call_id: "call_1", decision: "approve", input: { amount: 20 } },
      { tool_call_id: "call_2", decision: "deny", reason: "No need" },
      { tool_call_id: "call_3", decision: "approve" }
    ])
    // It led to the run that goes on, which asks for results now.
    second.end({ type: "pause", message: "Where?", interrupt: { type: "tool_calls", calls: CALLS.slice(0, 2) } })
    const results = reply.getByRole("button", { name: "Send the results" })
    await results.waitFor()
    assert.isFalse(page.url().endsWith(run.run_id))
    await tabTo(page, call("refund").getByLabel("Result"))
    await page.keyboard.type('{"done": true}')
    await choose(page, call("apologise").getByRole("button", { name: "Outcome" }), "It failed")
    await tabTo(page, call("apologise").getByLabel("Error"))
    await page.keyboard.type("Nobody is there")
    await page.keyboard.press("Control+Enter")
    const third = await agent.turn(2)
    assert.deepStrictEqual(third.asked.input?.["tool_results"], [
      { tool_call_id: "call_1", output: { done: true } },
      { tool_call_id: "call_2", error: "Nobody is there" }
    ])
    third.end({ type: "result", message: "All done." })
    await page.getByRole("status").getByText("Succeeded").waitFor()
  })

  it("are decided in the chat, where the next question takes their place", async () => {
    const place = await aPlace()
    const agent = await ownAgent(place)
    const run = await place.client.runs.triggerRun({ body: { agent_id: agent.agentId, message: "Refund" } })
    ;(await agent.turn(0)).end({ type: "pause", message: "May I?", interrupt: { type: "approvals", calls: CALLS } })
    const page = await openAs(place.key, `/sessions/${run.session_id}`)
    const reply = page.getByRole("region", { name: "Reply" })
    await reply.getByRole("group", { name: "refund" }).waitFor()
    await assertAccessible(page)
    await choose(page, reply.getByRole("group", { name: "refund" }).getByRole("button", { name: "Decision" }), "Deny")
    await tabTo(page, reply.getByRole("button", { name: "Send the decisions" }))
    await page.keyboard.press("Enter")
    const second = await agent.turn(1)
    assert.deepStrictEqual(second.asked.input?.["approvals"], [{ tool_call_id: "call_1", decision: "deny" }])
    // Whatever an agent puts into a question that is none of these is shown as its data.
    const odd = { type: "approvals", calls: [{ tool_call_id: 7, name: { toString: "no" } }, null] }
    second.end({ type: "pause", message: "Which card?", interrupt: odd })
    await reply.getByLabel("Your answer").waitFor()
    await tabTo(page, reply.getByLabel("Your answer"))
    await page.keyboard.type("Visa")
    await page.keyboard.press("Control+Enter")
    const third = await agent.turn(2)
    assert.strictEqual(third.asked.message, "Visa")
    third.end({ type: "result", message: "Refunded." })
    await page.getByRole("region", { name: "Messages" }).getByText("Refunded.").waitFor()
    await page.getByRole("status").getByText("Idle").waitFor()
  })
})
