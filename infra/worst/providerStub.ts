/** A model provider as the harness needs one: it calls one tool if there is any, and then says that it is done. */
import type { ServerResponse } from "node:http"
import type { Answer } from "./strangers.ts"

/** A piece of a streamed answer. */
export const chunkOf = (delta: unknown, finish: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({
    id: "c",
    model: "small",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(finish === null ? {} : { usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }),
    ...more
  })}\n\n`

export const DONE = "data: [DONE]\n\n"

/** A piece that calls a tool. */
export const callOf = (name: string, input = "{}", id = "call_1"): string =>
  chunkOf({ tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: input } }] })

export const streamHead = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { "content-type": "text/event-stream" })

interface Asked {
  readonly messages: ReadonlyArray<{ readonly role: string }>
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
}

/** Answers as a provider. */
export const answerAsProvider: Answer = (response, body) => {
  const { messages, tools = [] } = JSON.parse(body) as Asked
  const [tool] = tools
  const hasToolResult = messages.some(({ role }) => role === "tool")
  streamHead(response)
  if (tool === undefined || hasToolResult) response.end(`${chunkOf({ content: "Done." })}${chunkOf({}, "stop")}${DONE}`)
  else response.end(`${callOf(tool.function.name)}${chunkOf({}, "tool_calls")}${DONE}`)
}
