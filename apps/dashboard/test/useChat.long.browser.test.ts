/** `useChat` of the AI SDK in a browser: a product's page with an agent of its own, over reloads and an API that dies and comes back. */
import { afterAll, assert, beforeAll, it } from "vitest"
import { ownAgent } from "./ownAgent.ts"
import { useOwnApi } from "./ownApi.ts"
import { describeScreen } from "./pages.ts"
import { startProductPage } from "./productPage.ts"

const CALL = { tool_call_id: "call_1", name: "refund", input: { amount: 40 } }
const WHERE = { tool_call_id: "call_2", name: "locate", input: {} }

describeScreen("a product's page with useChat", ({ aPlace, open, stage }) => {
  let product: Awaited<ReturnType<typeof startProductPage>>
  beforeAll(async () => {
    product = await startProductPage()
  })
  afterAll(() => product.stop())
  const api = useOwnApi(stage, async () => ({ CORS_ORIGINS: product.url }))

  it("renders tools, an approval, a call of the page and a question, each once, over reloads and restarts of the API", async () => {
    const place = await aPlace()
    const agent = await ownAgent(place)
    // The backend reaches the platform by another of its processes.
    product.serve(place.client, agent.agentId)
    const page = await open(`${product.url}/?api=${encodeURIComponent(api.url())}`)
    const status = page.getByRole("status")
    const shows = async (...expected: ReadonlyArray<string>) => {
      const last = expected.at(-1) ?? ""
      await page.getByRole("article").last().getByText(last, { exact: true }).waitFor()
      assert.deepStrictEqual(await page.getByRole("article").locator("p").allInnerTexts(), [...expected])
    }
    const isReady = () => status.getByText("ready", { exact: true }).waitFor()
    const say = async (text: string) => {
      await page.getByLabel("Message").fill(text)
      await page.keyboard.press("Enter")
    }

    await isReady()
    await say("Refund my order")
    const first = await agent.turn(0)
    first.say(
      { type: "message.delta", text: "Looking. " },
      { type: "tool.started", name: "find", tool_call_id: "t1", arguments: '{"id":7}' }
    )
    await shows("Refund my order", "Looking.", '[find {"id":7} input-available]')

    // The API dies in the middle of an answer, and the agent goes on.
    await api.kill()
    first.say({ type: "tool.completed", name: "find", tool_call_id: "t1", result: '{"total":40}' })
    await api.restart()
    const found = ["Refund my order", "Looking.", '[find {"id":7} output-available {"total":40}]']
    await shows(...found)
    first.end({ type: "pause", message: "May I?", interrupt: { type: "approvals", calls: [CALL] } })
    await page.getByRole("button", { name: "Approve" }).waitFor()
    await isReady()

    await page.reload()
    await page.getByRole("button", { name: "Approve" }).click()
    const second = await agent.turn(1)
    assert.deepStrictEqual(second.asked.input?.["approvals"], [{ tool_call_id: "call_1", decision: "approve" }])
    second.say({ type: "tool.completed", name: "refund", tool_call_id: "call_1", result: "done" })
    const refunded = [...found, '[refund {"amount":40} output-available "done"]']
    await shows(...refunded)

    // The page is loaded anew while the run goes on, and the API dies before it has ended.
    await page.reload()
    await shows(...refunded)
    await api.kill()
    second.end({ type: "pause", message: "Where?", interrupt: { type: "tool_calls", calls: [WHERE] } })
    await api.restart()
    await page.getByRole("button", { name: "Answer" }).click()
    const third = await agent.turn(2)
    assert.deepStrictEqual(third.asked.input?.["tool_results"], [{ tool_call_id: "call_2", output: "Berlin" }])
    third.say({ type: "tool.completed", name: "locate", tool_call_id: "call_2", result: "Berlin" })
    third.end({ type: "pause", message: "Which card?" })
    const located = [...refunded, '[locate {} output-available "Berlin"]', "Which card?", "[question]"]
    await shows(...located)
    await isReady()

    await say("Visa")
    const fourth = await agent.turn(3)
    assert.strictEqual(fourth.asked.message, "Visa")
    fourth.end({ type: "result", message: "Refunded.", result: { amount: 40 } })
    const whole = [...located, "Visa", "Refunded.", '[result {"result":{"amount":40}}]']
    await shows(...whole)
    await isReady()
    await page.reload()
    await shows(...whole)
  })
})
