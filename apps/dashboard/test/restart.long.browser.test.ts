/** Live pages go on over an API that dies and comes back: nothing is missing, and nothing comes twice. */
import type { Locator } from "playwright-core"
import { assert, it } from "vitest"
import { ownAgent } from "./ownAgent.ts"
import { useOwnApi } from "./ownApi.ts"
import { describeScreen } from "./pages.ts"

const words = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, place) => ({ type: "message.delta", text: `word${first + place} ` }))

const USAGE = { type: "usage", provider: "openai", model: "gpt-4o", input_tokens: 200_000, output_tokens: 10 }

describeScreen("a live run, while its API is killed and started again", ({ aPlace, openAs, stage }) => {
  const api = useOwnApi(stage)

  it("is shown without a gap and without a repetition: as a log, in the list and as a chat", async () => {
    const place = await aPlace()
    const agent = await ownAgent(place)
    const run = await place.client.runs.triggerRun({ body: { agent_id: agent.agentId, message: "Count" } })
    const turn = await agent.turn(0)
    turn.say(...words(1, 20), { type: "tool.started", name: "find", tool_call_id: "t1", arguments: '{"id":7}' })

    const [page, list, chat] = await Promise.all([
      openAs(place.key, `${api.url()}/runs/${run.run_id}`),
      openAs(place.key, `${api.url()}/runs`),
      openAs(place.key, `${api.url()}/sessions/${run.session_id}`)
    ])
    const log = page.getByRole("region", { name: "Log" })
    const row = list.getByRole("row").filter({ hasText: run.run_id.slice(-8) })
    const messages = chat.getByRole("region", { name: "Messages" })
    await log.getByText("Tool find").waitFor()
    await row.getByText("Running").waitFor()
    await messages.getByText("word20").waitFor()

    await api.kill()
    // Its worker knows nothing of it.
    turn.say({ type: "tool.completed", name: "find", tool_call_id: "t1", result: '{"total":40}' }, ...words(21, 40))
    await api.restart()
    await log.getByText("word40").waitFor()
    turn.say(USAGE, ...words(41, 60))
    await log.getByText("word60").waitFor()
    await messages.getByText("word60").waitFor()

    await api.kill()
    const whole = words(1, 60).map(({ text }) => text)
    turn.say({ type: "message.completed", text: whole.slice(20).join("") })
    turn.end({ type: "result", message: "Counted.", result: { words: 60 } })
    await api.restart()
    await log.getByText("Succeeded", { exact: true }).waitFor()
    await page.getByRole("status").getByText("Succeeded").waitFor()
    await row.getByText("Succeeded").waitFor()
    await messages.getByText("Counted.").waitFor()
    await chat.getByRole("status").getByText("Idle").waitFor()

    /** Without the time since, which goes on. */
    const textOf = async (shown: Locator) => ((await shown.textContent()) ?? "").replace(/Triggered.* by /, "")
    const live = await textOf(log)
    assert.deepStrictEqual(
      live.match(/word\d+/g),
      whole.map((word) => word.trim())
    )
    const facts = page.getByRole("region", { name: "Facts" })
    const { cost_usd } = await place.client.runs.getRun({ params: { run_id: run.run_id } })
    assert.isAbove(Number(cost_usd), 0)
    await facts.getByText(`$${cost_usd}`, { exact: true }).waitFor()
    const cost = await textOf(facts)
    await page.reload()
    await log.getByText("Succeeded", { exact: true }).waitFor()
    await facts.getByText(`$${cost_usd}`, { exact: true }).waitFor()
    assert.strictEqual(await textOf(log), live)
    assert.strictEqual(await textOf(facts), cost)
  })
})
