/** Agents that chat, as real processes over Postgres: a call is not paid for twice, whichever process dies meanwhile. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { type App, makeDatabase, startApi, startApp, until } from "./harness.ts"

type Database = Awaited<ReturnType<typeof makeDatabase>>
type Api = Awaited<ReturnType<typeof startApi>>

/** Loopback for providers, and for nothing else. */
const LOOPBACK = { EGRESS_ALLOW_LOOPBACK: "false", EGRESS_ALLOW_PROVIDERS: "http://127.0.0.1" }

/** A model provider on loopback. `answer` is given each request's number, from 1, and what was asked. */
const startProvider = async (
  answer: (response: ServerResponse, number: number, body: { messages: unknown }) => void
) => {
  const asked: Array<{ readonly body: { readonly messages: unknown }; gaveUp: boolean }> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => {
      const one = { body: JSON.parse(Buffer.concat(chunks).toString("utf8")), gaveUp: false }
      asked.push(one)
      response.on("close", () => {
        one.gaveUp = !response.writableFinished
      })
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.flushHeaders()
      answer(response, asked.length, one.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return { url: `http://127.0.0.1:${port}/v1`, asked, stop }
}

const send = (response: ServerResponse, ...chunks: ReadonlyArray<unknown>) => {
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  response.end("data: [DONE]\n\n")
}

const chunk = (delta: unknown, finish: string | null) => ({
  id: "c",
  model: "small",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...(finish === null ? {} : { usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } })
})

/** A call of the tool, which the guard of tools lets go nowhere. */
const callsTool = (number: number) => {
  const call = { name: "http_request", arguments: JSON.stringify({ url: `https://127.0.0.1/${number}` }) }
  return chunk({ tool_calls: [{ index: 0, id: `call_${number}`, type: "function", function: call }] }, null)
}

describe("an agent that chats", () => {
  let database: Database
  let api: Api
  const closing: Array<() => Promise<unknown>> = []

  beforeAll(async () => {
    database = await makeDatabase(inject("postgresUrl"))
    closing.push(database.drop)
    api = await startApi(database.url, async () => LOOPBACK)
    closing.push(() => api.stop())
  })

  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  const ask = async (method: string, path: string, body?: unknown) => {
    const answered = await api.ask(database.credentials.workspace_key, method, `/api/v1${path}`, body)
    assert.isBelow(answered.status, 300, JSON.stringify(answered.body))
    return answered.body
  }

  it("goes on after its last finished step when its worker is killed, and asks for nothing again", async () => {
    const provider = await startProvider((response, number) => {
      if (number <= 2) send(response, callsTool(number), chunk({}, "tool_calls"))
      else if (number === 4) send(response, chunk({ content: "All done." }, null), chunk({}, "stop"))
      else response.write(`data: ${JSON.stringify(chunk({ content: "All d" }, null))}\n\n`)
    })
    closing.push(provider.stop)
    await ask("POST", "/byok/openai_compatible", { key: "k-0123456789", base_url: provider.url, validate: false })
    const settings = { name: "Chat", recipe: "chat", model: "openai_compatible/small", tools: ["http_request"] }
    const { agent_id } = await ask("POST", "/agents", settings)
    let worker: App = await startApp("worker", database.url, LOOPBACK)
    const { run_id } = await ask("POST", "/runs/", { agent_id, message: "Go", max_attempts: 3 })
    await until("the model is asked for the third time", () => provider.asked.length === 3 || undefined)
    await worker.kill()
    worker = await startApp("worker", database.url, LOOPBACK)
    closing.push(() => worker.stop())
    const run = await until("the run has ended", async () => {
      const read = await ask("GET", `/runs/${run_id}?wait_seconds=30`)
      return read.finished_at === null ? undefined : read
    })
    assert.deepInclude(run, { status: "succeeded", attempt: 2, message: "All done." })
    // The two that were answered were asked once; the one that was not, twice, and the same.
    assert.strictEqual(provider.asked.length, 4)
    assert.deepStrictEqual(provider.asked[3]?.body.messages, provider.asked[2]?.body.messages)
    assert.isTrue(provider.asked[2]?.gaveUp)

    // The tool's target is on loopback, which is open for providers here, but for no tool.
    const { body: log } = await api.ask(
      database.credentials.workspace_key,
      "GET",
      `/api/v1/runs/${run_id}/logs`,
      undefined,
      { accept: "application/json" }
    )
    const items = log.items as ReadonlyArray<{ type: string; data: Record<string, unknown> }>
    const used = items.filter(({ type }) => type === "tool.completed").map(({ data }) => data)
    assert.deepStrictEqual(
      used.map(({ is_error, result }) => [is_error, /not a public address/.test(String(result))]),
      [
        [true, true],
        [true, true]
      ]
    )
  })
})
