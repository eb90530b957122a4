/** The chat that `useChat` of the AI SDK renders, over the client's transport, with an agent of one's own: through pauses, reloads and broken connections. */
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect, createServer as createProxy, type Socket } from "node:net"
import { type AgentChatTransport, createChatTransport, createClient } from "@agent-platform/client"
import { EgressGuard } from "@agent-platform/egress"
import { Platform } from "@agent-platform/platform"
import { Chat } from "@ai-sdk/react"
import { assert, layer, vi } from "@effect/vitest"
import {
  type ChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  type UIMessage
} from "ai"
import { Effect, Layer, Logger } from "effect"
import { layerMemory, layerOver, TestApi } from "./support.ts"

const ports = Layer.merge(layerMemory, EgressGuard.layer({ allowLoopback: true }))
const layerWithAgents = Platform.layerWorkers({ demo: "full", runs: { drainSeconds: 0 } }).pipe(
  Layer.provideMerge(layerOver(ports)),
  Layer.provide(Logger.layer([]))
)

/** A request to the agent, and its answer, line by line. */
interface Turn {
  readonly asked: { readonly message: string | null; readonly input: Record<string, unknown> | null }
  readonly say: (...lines: ReadonlyArray<object>) => void
  readonly end: (line: object) => void
}

const listening = (server: {
  listen: (port: number, host: string, then: () => void) => unknown
  address: () => unknown
}) =>
  new Promise<number>((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))

/** An agent whose every request the test answers. */
const anAgent = async () => {
  const turns: Array<Turn> = []
  const server = createServer((request, response: ServerResponse) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece) => {
      body += piece
    })
    request.on("end", () => {
      const say = (...lines: ReadonlyArray<object>) =>
        void response.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
      turns.push({ asked: JSON.parse(body), say, end: (line) => void response.end(`${JSON.stringify(line)}\n`) })
    })
  })
  const port = await listening(server)
  const turn = (place: number) =>
    vi.waitFor(() => {
      const found = turns[place]
      assert.isDefined(found)
      return found as Turn
    }, 20_000)
  return { url: `http://127.0.0.1:${port}/run`, turn, close: () => void server.close().closeAllConnections() }
}

/** The way to the API, which can break. */
const aWayTo = async (port: number) => {
  const sockets = new Set<Socket>()
  const proxy = createProxy((socket) => {
    const onward = connect(port, "127.0.0.1")
    for (const [one, other] of [
      [socket, onward],
      [onward, socket]
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  const url = `http://127.0.0.1:${await listening(proxy)}`
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const close = () => {
    proxy.close()
    cut()
  }
  return { url, cut, close }
}

const shownPart = (part: UIMessage["parts"][number]): string => {
  if (part.type === "text") return part.text
  if (part.type === "data-question") return "[question]"
  if (part.type === "data-result") return `[result ${JSON.stringify((part.data as { result: unknown }).result)}]`
  if (part.type !== "dynamic-tool") return `[${part.type}]`
  const output = part.state === "output-available" ? ` ${JSON.stringify(part.output)}` : ""
  return `[${part.toolName} ${JSON.stringify(part.input)} ${part.state}${output}]`
}

/** Opens the page: reads what was said, and goes on with what is under way. */
const open = async (transport: AgentChatTransport) => {
  const messages = await transport.loadMessages((from) => readUIMessageStream<UIMessage>(from))
  const chat = new Chat({
    transport: transport satisfies ChatTransport<UIMessage>,
    messages,
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithToolCalls(state) || lastAssistantMessageIsCompleteWithApprovalResponses(state)
  })
  void chat.resumeStream()
  const lines = () =>
    chat.messages.map(
      ({ parts, role }) =>
        `${role}: ${parts
          .filter(({ type }) => type !== "step-start")
          .map(shownPart)
          .join(" ")}`
    )
  return {
    chat,
    shows: (expected: ReadonlyArray<string>) =>
      vi.waitFor(() => assert.deepStrictEqual(lines(), [...expected]), 20_000),
    isReady: () => vi.waitFor(() => assert.deepStrictEqual([chat.status, chat.error], ["ready", undefined]), 20_000),
    close: () => void chat.stop()
  }
}

const CALL = { tool_call_id: "call_1", name: "refund", input: { amount: 40 } }
const WHERE = { tool_call_id: "call_2", name: "locate", input: {} }

layer(layerWithAgents, { excludeTestServices: true })("useChat", (it) => {
  it.effect(
    "shows a run with tools, an approval, a call of the page and a question, over reloads and broken connections",
    () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        yield* Effect.promise(() =>
          (async () => {
            const agent = await anAgent()
            const way = await aWayTo(api.port)
            let page: Awaited<ReturnType<typeof open>> | undefined
            try {
              const client = createClient({ baseUrl: way.url, apiKey: tenant.workspaceKey })
              const { agent_id } = await client.agents.createAgent({
                body: { name: "Mine", recipe: "http", endpoint: { url: agent.url } }
              })
              let sessionId: string | null = null
              const visit = () =>
                open(
                  createChatTransport({
                    client,
                    agentId: agent_id,
                    sessionId,
                    onSession: (began) => {
                      sessionId = began
                    }
                  })
                )

              page = await visit()
              void page.chat.sendMessage({ text: "Refund my order" })
              const first = await agent.turn(0)
              assert.strictEqual(first.asked.message, "Refund my order")
              first.say(
                { type: "message.delta", text: "Looking. " },
                { type: "tool.started", name: "find", tool_call_id: "t1", arguments: '{"id":7}' }
              )
              const asked = "user: Refund my order"
              await page.shows([asked, 'assistant: Looking.  [find {"id":7} input-available]'])
              way.cut()
              first.say({ type: "tool.completed", name: "find", tool_call_id: "t1", result: '{"total":40}' })
              const found = '[find {"id":7} output-available {"total":40}]'
              await page.shows([asked, `assistant: Looking.  ${found}`])
              first.end({ type: "pause", message: "May I?", interrupt: { type: "approvals", calls: [CALL] } })
              const waits = `assistant: Looking.  ${found} [refund {"amount":40} approval-requested]`
              await page.shows([asked, waits])
              await page.isReady()

              page.close()
              page = await visit()
              await page.shows([asked, waits])
              await page.isReady()
              const part = page.chat.messages[1]?.parts.find((one) => one.type === "dynamic-tool" && one.approval)
              const id = part?.type === "dynamic-tool" ? (part.approval?.id ?? "") : ""
              await page.chat.addToolApprovalResponse({ id, approved: true })
              const second = await agent.turn(1)
              assert.deepStrictEqual(second.asked.input?.["approvals"], [
                { tool_call_id: "call_1", decision: "approve" }
              ])
              second.say({ type: "tool.completed", name: "refund", tool_call_id: "call_1", result: "done" })
              const refunded = `Looking.  ${found} [refund {"amount":40} output-available "done"]`
              await page.shows([asked, `assistant: ${refunded}`])

              // The page is loaded anew while the run goes on.
              page.close()
              page = await visit()
              await page.shows([asked, `assistant: ${refunded}`])
              second.end({ type: "pause", message: "Where?", interrupt: { type: "tool_calls", calls: [WHERE] } })
              await page.shows([asked, `assistant: ${refunded} [locate {} input-available]`])
              await page.isReady()
              void page.chat.addToolOutput({ tool: "locate" as never, toolCallId: "call_2", output: "Berlin" as never })
              const third = await agent.turn(2)
              assert.deepStrictEqual(third.asked.input?.["tool_results"], [
                { tool_call_id: "call_2", output: "Berlin" }
              ])
              third.say({ type: "tool.completed", name: "locate", tool_call_id: "call_2", result: "Berlin" })
              third.end({ type: "pause", message: "Which card?" })
              const located = `assistant: ${refunded} [locate {} output-available "Berlin"] Which card? [question]`
              await page.shows([asked, located])
              await page.isReady()

              void page.chat.sendMessage({ text: "Visa" })
              const fourth = await agent.turn(3)
              assert.strictEqual(fourth.asked.message, "Visa")
              fourth.end({ type: "result", message: "Refunded.", result: { amount: 40 } })
              const whole = [asked, located, "user: Visa", 'assistant: Refunded. [result {"amount":40}]']
              await page.shows(whole)
              await page.isReady()
              page.close()
              page = await visit()
              await page.shows(whole)
            } finally {
              page?.close()
              way.close()
              agent.close()
            }
          })()
        )
      })
  )
})
