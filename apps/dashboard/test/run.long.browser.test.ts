/** One run as it goes on: its log, its question, its end. */
import { assert, it } from "vitest"
import { assertAccessible, describeScreen } from "./pages.ts"

const HOSTILE = [
  "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">",
  "أهلا بالعالم \u202Egnp.exe",
  "x".repeat(60_000)
]

describeScreen("a run", ({ aPlace, openAs }) => {
  it("is shown with its log, cost and record, without a finding of axe", async () => {
    const { agentId, client, key } = await aPlace()
    const steps = [{ say: "Looking. " }, { say: "Found it." }, { return: { answer: 42 } }]
    const run = await client.runs.triggerRun({ body: { agent_id: agentId, input: { steps }, wait_seconds: 30 } })
    const page = await openAs(key, `/runs/${run.run_id}`)
    const log = page.getByRole("region", { name: "Log" })
    await log.getByText("Looking. Found it.").waitFor()
    const facts = page.getByRole("region", { name: "Facts" })
    const part = (title: string) => facts.locator("section").filter({ has: page.getByRole("heading", { name: title }) })
    await part("Result").getByText('"answer": 42').waitFor()
    await part("What was sent").getByText('"say": "Looking. "').waitFor()
    await assertAccessible(page)
    const saved = page.waitForEvent("download")
    await page.getByRole("button", { name: "Signed record" }).click()
    assert.strictEqual((await saved).suggestedFilename(), `run-${run.run_id}.json`)
    await facts.getByText(/, by the API$/).waitFor()
    await page.getByRole("button", { name: "Run again" }).click()
    const again = page.getByRole("dialog", { name: "Run again" })
    assert.deepStrictEqual(JSON.parse(await again.getByLabel("Input, as JSON").inputValue()), { steps })
    await assertAccessible(page)
    await again.getByRole("button", { name: "Run", exact: true }).click()
    await page.waitForURL((url) => /^\/runs\//.test(url.pathname) && !url.pathname.endsWith(run.run_id))
    await part("Result").getByText('"answer": 42').waitFor()
    await facts.getByRole("link", { name: "Scripted" }).click()
    await page.waitForURL(`**/agents/${agentId}`)
  })

  it("that failed for want of a provider's key leads to where one is registered", async () => {
    const { client, key } = await aPlace()
    const body = { name: "Chat", recipe: "chat", model: "openai/gpt-5" }
    const { agent_id } = await client.agents.createAgent({ body })
    const { run_id } = await client.runs.triggerRun({ body: { agent_id, message: "Hello", wait_seconds: 30 } })
    const page = await openAs(key, `/runs/${run_id}`)
    await page.getByRole("region", { name: "Log" }).getByText("registered no key").waitFor()
    const wayOut = page.getByRole("region", { name: "Key missing" }).getByRole("link")
    await wayOut.waitFor()
    await assertAccessible(page)
    await wayOut.click()
    await page.waitForURL("**/keys/providers")
  })

  it("grows while it executes, and is cancelled", async () => {
    const { agentId, client, key } = await aPlace()
    const steps = [{ say: "Working on it" }, { sleep_ms: 600_000 }]
    const run = await client.runs.triggerRun({ body: { agent_id: agentId, input: { steps } } })
    const page = await openAs(key, `/runs/${run.run_id}`)
    const log = page.getByRole("region", { name: "Log" })
    await log.getByText("Working on it").waitFor()
    await page.getByText("Running", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click()
    await log.getByText("Cancelled", { exact: true }).waitFor()
    await page.getByRole("alertdialog").waitFor({ state: "detached" })
    assert.strictEqual((await client.runs.getRun({ params: { run_id: run.run_id } })).status, "cancelled")
  })

  it("asks its question, and leads to the run that the answer is", async () => {
    const { agentId, client, key } = await aPlace()
    const steps = [{ ask: "Shall I?", interrupt: { amount: 40 } }, { say: "Done then." }]
    const run = await client.runs.triggerRun({ body: { agent_id: agentId, input: { steps }, wait_seconds: 30 } })
    const page = await openAs(key, `/runs/${run.run_id}`)
    const reply = page.getByRole("region", { name: "Reply" })
    await reply.getByText('"amount": 40').waitFor()
    await assertAccessible(page)
    await reply.getByLabel("Your answer").fill("Yes")
    await reply.getByRole("button", { name: "Reply" }).click()
    await page.waitForURL((url) => !url.pathname.endsWith(run.run_id))
    await page.getByRole("region", { name: "Log" }).getByText("Done then.").waitFor()
    const question = page.getByRole("region", { name: "Question" })
    await question.getByText("Shall I?").waitFor()
    await assertAccessible(page)
    await question.getByRole("link", { name: run.run_id.slice(-8) }).click()
    await page.waitForURL(`**/runs/${run.run_id}`)
    await page.getByRole("status").getByText("Answered", { exact: true }).waitFor()
    await reply.waitFor({ state: "detached" })
    const answer = page.getByRole("region", { name: "Answer" })
    await answer.getByText("Yes", { exact: true }).waitFor()
    await assertAccessible(page)
    await answer.getByRole("link").click()
    await question.waitFor()
    await page.getByRole("link", { name: "Runs", exact: true }).click()
    const row = page.getByRole("row").filter({ hasText: run.run_id.slice(-8) })
    await row.getByText("Answered", { exact: true }).waitFor()
  })

  it("offers nothing to who may only read", async () => {
    const { agentId, client, key } = await aPlace(["runs:read", "agents:read"])
    const input = { steps: [{ ask: "Shall I?" }] }
    const run = await client.runs.triggerRun({ body: { agent_id: agentId, input, wait_seconds: 30 } })
    const page = await openAs(key, `/runs/${run.run_id}`)
    await page.getByRole("region", { name: "Log" }).getByText("Paused", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Signed record" }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Close the question" }).count(), 0)
    assert.strictEqual(await page.getByRole("region", { name: "Reply" }).count(), 0)
  })

  it("shows whatever its agent says as text, however long and in whatever script", async () => {
    const { agentId, client, key } = await aPlace()
    const input = { steps: HOSTILE.map((text) => ({ say: text })) }
    const run = await client.runs.triggerRun({ body: { agent_id: agentId, input, wait_seconds: 30 } })
    const page = await openAs(key, `/runs/${run.run_id}`)
    const log = page.getByRole("region", { name: "Log" })
    await log.getByText("document.title = 'taken'").waitFor()
    await log.getByRole("button", { name: "more characters" }).waitFor()
    assert.include(await page.title(), run.run_id.slice(-8))
    assert.strictEqual(await log.locator("img, script").count(), 0)
    const isInside = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
    assert.isTrue(isInside)
  })

  it("that is another workspace's is not found", async () => {
    const [mine, other] = await Promise.all([aPlace(), aPlace()])
    const run = await other.client.runs.triggerRun({ body: { agent_id: other.agentId, message: "Hello" } })
    const page = await openAs(mine.key, `/runs/${run.run_id}`)
    await page.getByRole("alert").first().getByText("Not found").waitFor()
  })
})
