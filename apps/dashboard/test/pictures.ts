/** `npm run dashboard -- pictures`: the pictures of docs/dashboard.md, in light and dark, of a real `npm start`. */
import { mkdirSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { type AgentPlatformClient, createClient } from "@agent-platform/client"
import type { Browser, Page } from "playwright-core"
import { startAgent } from "./agentServer.ts"
import { palettePng } from "./palettePng.ts"
import { PICTURE_BYTES_MAX, PICTURES } from "./pictureFiles.ts"
import { contextOf, type OpenStage, withStage } from "./withStage.ts"

const ORDER = { id: 4711, total: "40.00", currency: "EUR", status: "delivered" }
const CALL = { tool_call_id: "call_2", name: "refund", input: { order: 4711, amount: "40.00", currency: "EUR" } }
const usage = (model: string, input_tokens: number, output_tokens: number) => ({
  type: "usage",
  provider: "openai",
  model,
  input_tokens,
  output_tokens
})

/** A conversation whose agent has looked something up and waits for an approval; answers its run. */
const converse = async (client: AgentPlatformClient) => {
  const agent = await startAgent()
  const { agent_id } = await client.agents.createAgent({
    body: { name: "Support", recipe: "http", endpoint: { url: agent.url } }
  })
  const first = await client.runs.triggerRun({ body: { agent_id, message: "Where is my parcel?" } })
  const hello = await agent.turn(0)
  hello.say(usage("gpt-4o-mini", 812, 64))
  hello.end({ type: "result", message: "It was delivered on Tuesday at 14:05, to a neighbour." })
  await client.runs.getRun({ params: { run_id: first.run_id }, query: { wait_seconds: 30 } })
  const { session_id } = first
  const second = await client.sessions.replyToSession({
    params: { session_id },
    body: { message: "It is broken. I want my money back." }
  })
  const turn = await agent.turn(1)
  turn.say(
    { type: "message.delta", text: "I am sorry to hear that. Let me look at the order." },
    { type: "message.completed", text: "I am sorry to hear that. Let me look at the order." },
    usage("gpt-4o", 1_904, 131),
    { type: "tool.started", name: "find_order", tool_call_id: "call_1", arguments: '{"id": 4711}' },
    {
      type: "tool.completed",
      name: "find_order",
      tool_call_id: "call_1",
      result: JSON.stringify(ORDER),
      duration_ms: 86
    },
    usage("gpt-4o", 2_377, 158),
    { type: "message.delta", text: "The order is within 30 days, so it can be refunded." }
  )
  turn.end({ type: "pause", message: "May I refund 40.00 EUR?", interrupt: { type: "approvals", calls: [CALL] } })
  await client.runs.getRun({ params: { run_id: second.run_id }, query: { wait_seconds: 30 } })
  agent.stop()
  return { run_id: second.run_id, session_id }
}

/** Runs of every outcome, which cost something. */
const spend = async (client: AgentPlatformClient, agentId: string) => {
  const models = [["gpt-4o", 90_000, 4_000] as const, ["gpt-4o-mini", 400_000, 9_000] as const]
  for (const [model, input_tokens, output_tokens] of models) {
    const steps = [
      { spend: { provider: "openai", model, input_tokens, output_tokens } },
      { say: "Sorted 120 tickets." }
    ]
    await client.runs.triggerRun({
      body: { agent_id: agentId, message: "Sort the tickets", input: { steps }, wait_seconds: 30 }
    })
  }
  const fail = { steps: [{ fail: "The mailbox did not answer" }] }
  await client.runs.triggerRun({ body: { agent_id: agentId, message: "Read the mail", input: fail, wait_seconds: 30 } })
}

/** An endpoint that refused once, which is tried again after a minute; answers its page. */
const deliver = async ({ agentId, stage }: OpenStage, client: AgentPlatformClient): Promise<string> => {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(asked++ === 0 ? 503 : 200).end())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const organization = createClient({ baseUrl: stage.baseUrl, apiKey: stage.orgKey })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  const { id } = await organization.webhooks.registerEndpoint({ body: { url } })
  for (let run = 0; run < 6; run++)
    await client.runs.triggerRun({ body: { agent_id: agentId, message: "Hello", wait_seconds: 30 } })
  for (;;) {
    const { items } = await organization.webhooks.listDeliveries({ params: { endpoint_id: id } })
    if (items.filter(({ state }) => state === "delivered").length >= 5) break
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  server.close()
  return `/webhooks/${id}`
}

const shoot = async (browser: Browser, page: Page, name: string): Promise<void> => {
  const shot = await page.screenshot({ animations: "disabled", caret: "hide", scale: "css" })
  const bytes = await palettePng(browser, shot)
  const path = join(PICTURES, name)
  writeFileSync(path, bytes)
  const { size } = statSync(path)
  process.stdout.write(`docs/pictures/${name} ${(size / 1000).toFixed(1)} kB\n`)
  if (size > PICTURE_BYTES_MAX) throw new Error(`${name} has more than ${PICTURE_BYTES_MAX} bytes`)
}

/** Shows all of it before it is shot. */
const settle = async (page: Page, text: string) => {
  await page.getByRole("main").getByText(text).first().waitFor()
  await page.evaluate(() => document.fonts.ready)
  await page.getByRole("status", { name: "Loading" }).waitFor({ state: "detached" })
}

await withStage(async (open) => {
  const { agentId, browser, key, stage, workspaceId } = open
  mkdirSync(PICTURES, { recursive: true })
  const client = createClient({ baseUrl: stage.baseUrl, apiKey: key })
  await spend(client, agentId)
  const { run_id, session_id } = await converse(client)
  const endpoint = await deliver(open, client)
  const organization = createClient({ baseUrl: stage.baseUrl, apiKey: stage.orgKey })
  await organization.workspaces.updateWorkspace({
    params: { workspace_id: workspaceId },
    body: { monthly_cap_usd: "25.00" }
  })
  const views = [
    { name: "run", path: `/runs/${run_id}`, by: key, shows: "Send the decisions" },
    { name: "session", path: `/sessions/${session_id}`, by: key, shows: "Send the decisions" },
    { name: "usage", path: "/usage", by: key, shows: "gpt-4o-mini" },
    { name: "webhooks", path: endpoint, by: stage.orgKey, shows: "Delivered" }
  ]
  for (const colorScheme of ["light", "dark"] as const) {
    for (const { by, name, path, shows } of views) {
      const context = await contextOf(browser, stage, { key: by, colorScheme })
      const page = await context.newPage()
      await page.goto(path)
      await settle(page, shows)
      await shoot(browser, page, `${name}-${colorScheme}.png`)
      await context.close()
    }
  }
})
