/**
 * The stream of OpenAI's Responses API: a model's answer as server-sent events. The output of a response is a list of items (a
 * reasoning, a message, calls of tools), and each item is announced, filled and ended by events that name its place in the list.
 */
import type { GatewayAnswer, GatewayDelta } from "./Gateway.ts"
import { type FunctionCallItem, itemsOf, type ResponseBody, responseHead, responseOf } from "./responses.ts"

/** The item of the output that is being filled; at most one is. */
interface OpenItem {
  readonly kind: GatewayDelta["kind"]
  readonly id: string
  /** The item's place in the output, `output_index` in events. */
  readonly index: number
  text: string
}

/**
 * Makes the frames of one streamed answer. Called in this order: `delta` for each piece as it comes, if any, then once `end` with the
 * whole answer, or `failure` where it broke off. `created` is in whole seconds since 1970.
 */
export const makeResponseEvents = (body: ResponseBody, created: number) => {
  let sequence = 0
  let itemCount = 0
  let hasBegun = false
  let open: OpenItem | undefined
  const opened = new Set<OpenItem["kind"]>()

  const event = (type: string, members: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...members })}\n\n`

  const begin = (requestId: string): string => {
    if (hasBegun) return ""
    hasBegun = true
    const response = { ...responseHead(requestId, body, created), status: "in_progress" }
    return event("response.created", { response }) + event("response.in_progress", { response })
  }

  const reasoningItem = ({ id, text }: OpenItem) => ({
    type: "reasoning",
    id,
    summary: text === "" ? [] : [{ type: "summary_text", text }]
  })
  const messageItem = ({ id, text }: OpenItem, status: string) => ({
    type: "message",
    id,
    role: "assistant",
    status,
    content: status === "in_progress" ? [] : [{ type: "output_text", text, annotations: [], logprobs: [] }]
  })

  const openItem = (kind: OpenItem["kind"], requestId: string): string => {
    const index = itemCount++
    // A model may think again between its words: the later items of a kind need ids of their own.
    const again = opened.has(kind) ? `${index}_` : ""
    opened.add(kind)
    const one: OpenItem = { kind, id: `${kind === "text" ? "msg" : "rs"}_${again}${requestId}`, index, text: "" }
    open = one
    const at = { item_id: one.id, output_index: one.index }
    return kind === "text"
      ? event("response.output_item.added", { output_index: one.index, item: messageItem(one, "in_progress") }) +
          event("response.content_part.added", {
            ...at,
            content_index: 0,
            part: { type: "output_text", text: "", annotations: [], logprobs: [] }
          })
      : event("response.output_item.added", { output_index: one.index, item: reasoningItem(one) }) +
          event("response.reasoning_summary_part.added", {
            ...at,
            summary_index: 0,
            part: { type: "summary_text", text: "" }
          })
  }

  const close = (status: "completed" | "incomplete"): string => {
    if (open === undefined) return ""
    const one = open
    open = undefined
    const at = { item_id: one.id, output_index: one.index }
    return one.kind === "text"
      ? event("response.output_text.done", { ...at, content_index: 0, text: one.text, logprobs: [] }) +
          event("response.content_part.done", {
            ...at,
            content_index: 0,
            part: { type: "output_text", text: one.text, annotations: [], logprobs: [] }
          }) +
          event("response.output_item.done", { output_index: one.index, item: messageItem(one, status) })
      : event("response.reasoning_summary_text.done", { ...at, summary_index: 0, text: one.text }) +
          event("response.reasoning_summary_part.done", {
            ...at,
            summary_index: 0,
            part: { type: "summary_text", text: one.text }
          }) +
          event("response.output_item.done", { output_index: one.index, item: reasoningItem(one) })
  }

  const toolCall = (item: FunctionCallItem): string => {
    const index = itemCount++
    const at = { item_id: item.id, output_index: index }
    return (
      event("response.output_item.added", {
        output_index: index,
        item: { ...item, arguments: "", status: "in_progress" }
      }) +
      event("response.function_call_arguments.delta", { ...at, delta: item.arguments }) +
      event("response.function_call_arguments.done", { ...at, name: item.name, arguments: item.arguments }) +
      event("response.output_item.done", { output_index: index, item })
    )
  }

  const say = ({ kind, requestId, text }: GatewayDelta): string => {
    const begun = open?.kind === kind ? "" : close("completed") + openItem(kind, requestId)
    const one = open as OpenItem
    one.text += text
    const at = { item_id: one.id, output_index: one.index, delta: text }
    return (
      begun +
      (kind === "text"
        ? event("response.output_text.delta", { ...at, content_index: 0, logprobs: [] })
        : event("response.reasoning_summary_text.delta", { ...at, summary_index: 0 }))
    )
  }

  return {
    delta: (delta: GatewayDelta): string => begin(delta.requestId) + say(delta),
    end: (answer: GatewayAnswer): string => {
      const { message, toolCalls } = itemsOf(answer)
      const begun = begin(answer.requestId)
      // An answer of neither words nor calls has an empty message all the same.
      const empty = itemCount === 0 && message.length > 0 ? openItem("text", answer.requestId) : ""
      const response = responseOf(answer, body, created)
      const closed = close(response.status)
      const calls = toolCalls.map(toolCall).join("")
      return begun + empty + closed + calls + event(`response.${response.status}`, { response })
    },
    failure: (error: { readonly code: string; readonly message: string }): string =>
      event("error", { code: error.code, message: error.message, param: null })
  }
}
