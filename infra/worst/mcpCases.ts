/** Answers of a tool server: its introduction, its list of tools, and the result of a call, filled everywhere. */
import { type Case, type Scale, sampled, sizesBelow } from "./cases.ts"
import { nameOfPlace, placesOf, type Schema } from "./contractWalk.ts"
import { documentWith } from "./documents.ts"
import type { Platform } from "./platform.ts"
import { answerAsProvider } from "./providerStub.ts"
import { chatAgent, giveTools, runCases } from "./runCases.ts"
import { shapesOf } from "./shapes.ts"
import type { Answer, Strangers } from "./strangers.ts"

/** The largest answer that is read (docs/agents.md). */
const ANSWER_BYTES_MAX = 1024 * 1024

/** Left free below a size: for what is around the result, and since a shape may come out a little longer than it is asked to be. */
const SPARE_BYTES = 64

const ENDPOINT = "an MCP server's answer"

const text: Schema = { type: "string" }
const anything: Schema = {}
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties)
})
const list = (items: Schema): Schema => ({ type: "array", items })
/** A schema with the value that it has wherever another place is filled. */
const likely = (example: unknown, schema: Schema = text): Schema => ({ ...schema, examples: [example] })

/** The result of each method, by the protocol. */
const RESULTS: Readonly<Record<string, Schema>> = {
  initialize: object({
    protocolVersion: likely("2025-06-18"),
    capabilities: anything,
    serverInfo: object({ name: text, version: text }),
    instructions: text
  }),
  "tools/list": object({
    tools: list(object({ name: text, description: text, inputSchema: likely({ type: "object" }, { type: "object" }) }))
  }),
  "tools/call": object({
    content: list(object({ type: likely("text"), text })),
    structuredContent: anything,
    isError: likely(false, { type: "boolean" })
  })
}

const ERROR = object({ code: { type: "integer" }, message: text, data: anything })

const SOUND: Readonly<Record<string, unknown>> = {
  initialize: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "tools", version: "1" } },
  "tools/list": { tools: [{ name: "look", description: "Looks", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "Seen" }] }
}

/** An unusual answer to one method; its body is made in any size, for the id of the request. */
interface Oddity {
  readonly method: string
  readonly member: string
  readonly contentType: string
  readonly body: (size: number, id: number) => string
}

const JSON_TYPE = "application/json"
const EVENTS_TYPE = "text/event-stream"

const message = (id: number, name: "result" | "error", raw: string) => `{"jsonrpc":"2.0","id":${id},"${name}":${raw}}`

const oddities = (method: string, name: "result" | "error", schema: Schema): ReadonlyArray<Oddity> =>
  placesOf(schema).flatMap((place) =>
    shapesOf(place, {}).map((shape) => ({
      method,
      member: `${method} /${name}${nameOfPlace(place)}: ${shape.name}`,
      contentType: JSON_TYPE,
      body: (size: number, id: number) => {
        const whole = documentWith(schema, place, {})
        return message(id, name, whole(shape.text(size - whole("").length - SPARE_BYTES)))
      }
    }))
  )

/** A sound result as an event, behind something else. 200 bytes of the size are left for the result. */
const streamed = (member: string, before: (size: number) => string, method = "tools/call"): Oddity => ({
  method,
  member: `${method} as events: ${member}`,
  contentType: EVENTS_TYPE,
  body: (size, id) => `${before(size - 200)}data: ${message(id, "result", JSON.stringify(SOUND[method]))}\n\n`
})

const repeated = (piece: string) => (size: number) => piece.repeat(Math.max(1, Math.floor(size / piece.length)))

const STREAMS: ReadonlyArray<Oddity> = [
  streamed("empty lines", repeated("\n")),
  streamed("comments", repeated(": a\n")),
  streamed("events of nothing", repeated("data:\n\n")),
  streamed("other messages", repeated('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n')),
  streamed("one event of many lines", (size) => `${repeated("data: 1\n")(size)}\n`),
  streamed("blanks", (size) => `${repeated(" ")(size)}\n\n`),
  {
    method: "tools/call",
    member: "tools/call: a batch of other messages",
    contentType: JSON_TYPE,
    body: (size, id) =>
      `[${repeated('{"id":0},')(size - 200)}${message(id, "result", JSON.stringify(SOUND["tools/call"]))}]`
  }
]

/** Every case of an answer of a server of tools. */
export const mcpCases = (platform: Platform, strangers: Strangers, scale: Scale): ReadonlyArray<Case> => {
  let odd: Oddity | undefined
  let size = 0
  const answer: Answer = (response, body) => {
    const { id, method = "" } = JSON.parse(body || "{}") as { readonly id?: number; readonly method?: string }
    if (id === undefined) response.writeHead(202).end()
    else if (odd?.method === method) {
      response.writeHead(200, { "content-type": odd.contentType }).end(odd.body(size, id))
    } else {
      const sound = message(id, "result", JSON.stringify(SOUND[method] ?? {}))
      response.writeHead(200, { "content-type": JSON_TYPE }).end(sound)
    }
  }
  const caseOf = runCases(platform, async (tester) => {
    const agentId = await chatAgent(tester, strangers.settle(answerAsProvider))
    await giveTools(platform, agentId, strangers.settle(answer))
    return agentId
  })
  const sizes = sizesBelow(ANSWER_BYTES_MAX, scale)
  const filled = [
    ...Object.entries(RESULTS).flatMap(([method, schema]) => oddities(method, "result", schema)),
    ...oddities("tools/call", "error", ERROR)
  ]
  return [...sampled(filled, scale, 16), ...sampled(STREAMS, scale, 2)].map((one) =>
    caseOf({ endpoint: ENDPOINT, member: one.member, sizes }, (next) => {
      odd = one
      size = next
    })
  )
}
