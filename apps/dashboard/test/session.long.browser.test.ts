/** Sessions: the list with its search, and one as a chat. */
import { assert, it } from "vitest"
import { assertAccessible, describeScreen } from "./pages.ts"

describeScreen("sessions", ({ aPlace, openAs }) => {
  it("are listed and searched, without a finding of axe", async () => {
    const { agentId, client, key } = await aPlace()
    const run = (message: string) => client.runs.triggerRun({ body: { agent_id: agentId, message, wait_seconds: 30 } })
    const wanted = await run("Where is my parcel?")
    const other = await run("Good morning")
    const page = await openAs(key, "/sessions")
    const row = (id: string) => page.getByRole("row").filter({ hasText: id.slice(-8) })
    await row(other.session_id).getByText("Idle").waitFor()
    await assertAccessible(page)
    const heights = [page.getByRole("searchbox"), page.getByRole("button", { name: "Find" })].map(
      async (one) => (await one.boundingBox())?.height
    )
    assert.deepStrictEqual(await Promise.all(heights), [32, 32])
    await page.getByRole("searchbox").fill("PARCEL")
    await page.getByRole("button", { name: "Find" }).click()
    await row(other.session_id).waitFor({ state: "detached" })
    await row(wanted.session_id).getByText("Where is my parcel?").waitFor()
    assert.strictEqual(new URL(page.url()).searchParams.get("q"), "PARCEL")
    await page.getByRole("searchbox").fill("nobody said this")
    await page.keyboard.press("Enter")
    await page.getByText("No session fits these filters.").waitFor()
    await page.getByRole("button", { name: "Show all sessions" }).click()
    await row(other.session_id).waitFor()
  })

  it("are a chat: the question, the answer, the next turn", async () => {
    const { agentId, client, key } = await aPlace()
    const steps = [{ say: "It is 40. " }, { ask: "Shall I?", interrupt: { amount: 40 } }, { say: "Done then." }]
    const body = { agent_id: agentId, message: "Pay it", input: { steps }, wait_seconds: 30 }
    const { session_id } = await client.runs.triggerRun({ body })
    const page = await openAs(key, `/sessions/${session_id}`)
    const messages = page.getByRole("region", { name: "Messages" })
    await messages.getByText("Pay it").waitFor()
    await messages.getByText("Shall I?").waitFor()
    await messages.getByText("It is 40.").waitFor()
    await page.getByRole("status").getByText("Paused").waitFor()
    // Its id stands in the title, and is copied beside it.
    assert.strictEqual((await page.locator("main header").textContent())?.split(session_id.slice(-8)).length, 2)
    await page.getByRole("button", { name: `Copy session ${session_id}` }).waitFor()
    const reply = page.getByRole("region", { name: "Reply" })
    await reply.getByText('"amount": 40').waitFor()
    await assertAccessible(page)
    await reply.getByLabel("Your answer").fill("Go ahead")
    await reply.getByRole("button", { name: "Reply" }).click()
    await messages.getByText("Done then.").waitFor()
    await messages.getByText("Go ahead").waitFor()
    await page.getByRole("status").getByText("Idle").waitFor()
    await reply.getByLabel("Your message").fill("Thanks")
    await reply.getByRole("button", { name: "Reply" }).click()
    await messages.getByText("You said: Thanks").waitFor()
    assert.strictEqual(await reply.getByLabel("Your message").inputValue(), "")
    // Of a question further up they come when they are asked for.
    await page.reload()
    await messages.getByRole("button", { name: "Words before the question" }).click()
    await messages.getByText("It is 40.").waitFor()
  })

  it("grow while an agent is at work, and are cancelled", async () => {
    const { agentId, client, key } = await aPlace()
    const input = { steps: [{ say: "Working on it" }, { sleep_ms: 600_000 }] }
    const { run_id, session_id } = await client.runs.triggerRun({ body: { agent_id: agentId, input } })
    const page = await openAs(key, `/sessions/${session_id}`)
    await page.getByRole("region", { name: "Messages" }).getByText("Working on it").waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("status").getByText("Idle").waitFor()
    assert.strictEqual((await client.runs.getRun({ params: { run_id } })).status, "cancelled")
  })

  it("offer nothing to who may only read, and are found in their workspace alone", async () => {
    const [mine, other] = await Promise.all([aPlace(["runs:read", "agents:read"]), aPlace()])
    const ask = { steps: [{ ask: "Shall I?" }] }
    const { session_id } = await mine.client.runs.triggerRun({
      body: { agent_id: mine.agentId, input: ask, wait_seconds: 30 }
    })
    const page = await openAs(mine.key, `/sessions/${session_id}`)
    await page.getByRole("region", { name: "Messages" }).getByText("Shall I?").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Close the question" }).count(), 0)
    assert.strictEqual(await page.getByRole("region", { name: "Reply" }).count(), 0)
    const stranger = await openAs(other.key, `/sessions/${session_id}`)
    await stranger.getByRole("alert").first().getByText("Not found").waitFor()
  })
})
