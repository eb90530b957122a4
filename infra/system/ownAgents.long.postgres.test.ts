/** Agents of one's own, as real processes over Postgres: no attempt is executed twice, and every call of a model is on the bill once. */
import { spawn, spawnSync } from "node:child_process"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import OpenAI from "openai"
import postgres from "postgres"
import { Webhook } from "standardwebhooks"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { freePort } from "../local/postgres/freePort.ts"
import { type App, makeDatabase, startApi, startApp, until } from "./harness.ts"

const RESTARTS = 10

const DENO = fileURLToPath(new URL("../../node_modules/.bin/deno", import.meta.url))

/** A request to an agent, as far as it is read here. */
interface Order {
  readonly run_id: string
  readonly attempt: number
  readonly message: string
  readonly gateway: { readonly base_url: string; readonly token: string }
  readonly callback: { readonly url: string }
}

const readJson = (request: IncomingMessage): Promise<unknown> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString("utf8"))))
  })

const serve = async (handle: (response: ServerResponse, body: never) => void) => {
  const server = createServer(
    (request, response) => void readJson(request).then((body) => handle(response, body as never))
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

const chunk = (content: string | null) => ({
  id: "c",
  model: "small",
  choices: [{ index: 0, delta: content === null ? {} : { content }, finish_reason: content === null ? "stop" : null }],
  ...(content === null ? { usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } } : {})
})

const write = (response: ServerResponse, data: unknown) => response.write(`data: ${JSON.stringify(data)}\n\n`)

describe("agents of one's own", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let api: Awaited<ReturnType<typeof startApi>>
  let baseUrl = ""
  const closing: Array<() => Promise<unknown>> = []

  beforeAll(async () => {
    database = await makeDatabase(inject("postgresUrl"))
    closing.push(database.drop)
    api = await startApi(database.url, async (port) => {
      baseUrl = `http://127.0.0.1:${port}`
      return { BASE_URL: baseUrl }
    })
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

  const library = ({ gateway }: Order) =>
    new OpenAI({ apiKey: gateway.token, baseURL: gateway.base_url, maxRetries: 0 })
  const hello = { model: "openai_compatible/small", messages: [{ role: "user" as const, content: "Hello" }] }

  /** The examples of the documentation, as programs. Python is tried where its packages are. */
  const EXAMPLES = fileURLToPath(new URL("../../docs/examples/http-agent/", import.meta.url))
  const hasPython = spawnSync("python3", ["-c", "import openai, standardwebhooks"]).status === 0
  const PROGRAMS: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    [process.execPath, ["agent.js"]],
    [DENO, ["run", "-A", "--no-lock", "--node-modules-dir=manual", "agent.ts"]],
    ...(hasPython ? [["python3", ["agent.py"]] as const] : [])
  ]

  for (const [command, args] of PROGRAMS) {
    it(`stream, ask and go on by the example ${args.at(-1)}, which the gateway bills like every call`, async () => {
      const provider = await serve((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        for (const word of ["Good ", "day", null]) write(response, chunk(word))
        response.end("data: [DONE]\n\n")
      })
      closing.push(provider.stop)
      const key = await ask("POST", "/byok/openai_compatible", {
        key: "k-0123456789",
        base_url: `${provider.url}/v1`,
        validate: false
      })
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/run`
      const settings = { name: "Example", recipe: "http", model: "openai_compatible/small", endpoint: { url } }
      const { agent_id, endpoint } = (await ask("POST", "/agents", settings)) as {
        agent_id: string
        endpoint: { signing_secret: string }
      }
      const environment = { ...process.env, PORT: String(port), SIGNING_SECRET: endpoint.signing_secret }
      const agent = spawn(command, args, { cwd: EXAMPLES, env: environment, stdio: "ignore" })
      const worker = await startApp("worker", database.url, { WORKER_DRAIN_SECONDS: "0", BASE_URL: baseUrl })
      // The agent is called until it listens.
      const ended = (run: Record<string, unknown>) =>
        until("the run has ended", async () => {
          const read = await ask("GET", `/runs/${run["run_id"]}?wait_seconds=30`)
          return read["finished_at"] === null ? undefined : read
        })
      const asked = await ended(await ask("POST", "/runs/", { agent_id, message: "Hello" }))
      assert.deepInclude(asked, { status: "succeeded", paused: true, message: "Good day Shall I?", attempt: 1 })
      const { body: log } = await api.ask(
        database.credentials.workspace_key,
        "GET",
        `/api/v1/runs/${asked["run_id"]}/logs`,
        undefined,
        { accept: "application/json" }
      )
      const types = (log["items"] as ReadonlyArray<{ type: string }>).map(({ type }) => type)
      assert.includeMembers(types, ["message.delta", "llm.request", "interrupt.requested", "run.paused"])
      const replied = await ended(await ask("POST", `/sessions/${asked["session_id"]}/messages`, { message: "Yes" }))
      assert.deepInclude(replied, { status: "succeeded", paused: false, result: "Good day" })
      assert.deepInclude(replied["usage"] as object, { requests: 1, input_tokens: 9, output_tokens: 3 })
      agent.kill()
      await worker.stop()
      await ask("DELETE", `/byok/${key["id"]}`)
    }, 300_000)
  }

  it("keep one number for one execution over ten rolling restarts, and each call of a model is on the bill once", async () => {
    const orders: Array<Order> = []
    const responses: Array<ServerResponse> = []
    // A provider that answers every second request, and leaves the others in the middle.
    let asked = 0
    const provider = await serve((response) => {
      asked += 1
      response.writeHead(200, { "content-type": "text/event-stream" })
      write(response, chunk("Good "))
      if (asked % 2 === 1) return
      write(response, chunk(null))
      response.end("data: [DONE]\n\n")
    })
    closing.push(provider.stop)
    const agent = await serve((response, order: Order) => {
      orders.push(order)
      responses.push(response)
      if (order.message === "later") response.writeHead(202).end()
      else response.writeHead(200, { "content-type": "application/x-ndjson" }).flushHeaders()
    })
    closing.push(agent.stop)
    await ask("POST", "/byok/openai_compatible", {
      key: "k-0123456789",
      base_url: `${provider.url}/v1`,
      validate: false
    })
    const created = await ask("POST", "/agents", { name: "Mine", recipe: "http", endpoint: { url: agent.url } })
    const { agent_id, endpoint } = created as { agent_id: string; endpoint: { signing_secret: string } }
    const ordersOf = (runId: unknown) => orders.filter((order) => order.run_id === runId)

    const drained = { WORKER_DRAIN_SECONDS: "0", BASE_URL: baseUrl }
    let worker: App = await startApp("worker", database.url, drained)
    const { run_id } = await ask("POST", "/runs/", { agent_id, message: "now" })
    const later = await ask("POST", "/runs/", { agent_id, message: "later" })
    const left = await until("the agent has the second run", () => ordersOf(later["run_id"])[0])

    const hanging: Array<Promise<unknown>> = []
    for (let restart = 1; restart <= RESTARTS; restart++) {
      const order = await until(`the agent has attempt ${restart}`, () => ordersOf(run_id)[restart - 1])
      const before = asked
      const stream = await library(order).chat.completions.create({ ...hello, stream: true })
      const reading = (async () => {
        for await (const _ of stream) {
          // Read to its end.
        }
      })()
      hanging.push(reading.catch((error: unknown) => error))
      await until("the model is asked", () => asked > before || undefined)
      const next = await startApp("worker", database.url, drained)
      await worker.stop()
      worker = next
      // Calls of the agent without a worker are answered meanwhile.
      await until("the model has answered", async () => {
        const answered = await library(left)
          .chat.completions.create(hello)
          .catch(() => undefined)
        return answered?.choices[0]?.message.content
      })
    }
    closing.push(() => worker.stop())
    const last = await until("the agent has the last attempt", () => ordersOf(run_id)[RESTARTS])
    assert.deepStrictEqual(
      ordersOf(run_id).map(({ attempt }) => attempt),
      Array.from({ length: RESTARTS + 1 }, (_, place) => place + 1)
    )
    assert.strictEqual(new Set(ordersOf(run_id).map(({ gateway }) => gateway.token)).size, RESTARTS + 1)
    // The run is being executed still: the tokens of its earlier attempts call nobody and cost nothing.
    const askedOfLasting = asked
    for (const over of ordersOf(run_id).slice(0, RESTARTS)) {
      const refused = await library(over)
        .chat.completions.create(hello)
        .catch((error: unknown) => error)
      assert.deepInclude(refused as object, { status: 401, code: "attempt_over" })
    }
    assert.strictEqual(asked, askedOfLasting)
    assert.deepInclude(await ask("GET", `/runs/${run_id}`), { status: "running", attempt: RESTARTS + 1 })
    responses[orders.indexOf(last)]?.end('{"type": "result", "result": "done"}\n')
    const run = await until("the run has ended", async () => {
      const read = await ask("GET", `/runs/${run_id}?wait_seconds=30`)
      return read["finished_at"] === null ? undefined : read
    })
    assert.deepInclude(run, { status: "succeeded", attempt: RESTARTS + 1, max_attempts: 1, result: "done" })

    // The other was called once, and no restart touched it.
    assert.deepStrictEqual(
      ordersOf(later["run_id"]).map(({ attempt }) => attempt),
      [1]
    )
    const body = JSON.stringify({ attempt: 1, lines: [{ type: "result", result: "called back" }] })
    const at = new Date()
    const called = await fetch(left.callback.url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "webhook-id": "msg_1",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(endpoint.signing_secret).sign("msg_1", at, body)
      }
    })
    assert.strictEqual(called.status, 200, await called.clone().text())
    assert.deepInclude(await ask("GET", `/runs/${later["run_id"]}`), {
      status: "succeeded",
      result: "called back",
      attempt: 1
    })

    for (const over of hanging) assert.deepInclude((await over) as object, { code: "attempt_over" })
    const sql = postgres(database.superuserUrl, { max: 1 })
    closing.push(() => sql.end())
    const rows = await until("every call is settled", async () => {
      const found = await sql<
        ReadonlyArray<{ run_id: string; attempt: number; status: string; usage_source: string; output_tokens: number }>
      >`select run_id::text, attempt, status, usage_source, output_tokens::int from agent_platform.model_call
        where run_id in (${String(run_id)}, ${String(later["run_id"])})`
      return found.length === asked ? found : undefined
    })
    const [held] = await sql<[{ count: number }]>`select count(*)::int as count from agent_platform.call_reservation`
    assert.strictEqual(held.count, 0)
    const cut = rows.filter((row) => row.run_id === run_id)
    assert.deepStrictEqual(
      cut.map(({ attempt }) => attempt).sort((one, other) => one - other),
      Array.from({ length: RESTARTS }, (_, place) => place + 1)
    )
    // Nobody counted what was cut off, so an estimate from above stands for it: two tokens are what `Good ` may be at most.
    assert.isTrue(
      cut.every(
        ({ output_tokens, status, usage_source }) =>
          status === "aborted" && usage_source === "estimated" && output_tokens >= 2
      )
    )
    const whole = rows.filter((row) => row.run_id === later["run_id"])
    assert.isTrue(whole.length >= RESTARTS)
    assert.isTrue(whole.filter(({ status }) => status === "ok").every(({ output_tokens }) => output_tokens === 3))
  }, 600_000)
})
