/** A response as a stream of events. */
import type { GatewayAnswer, GatewayDelta } from "./Gateway.ts"
import { itemsOf, type ResponseBody, responseHead, responseOf } from "./responses.ts"

/** An item of the output that is under way. */
interface Open {
  readonly kind: GatewayDelta["kind"]
  readonly id: string
  readonly place: number
  text: string
}

/** Makes the frames of each piece of an answer, and of its end. */
export const makeResponseEvents = (body: ResponseBody, created: number) => {
  let sequence = 0
  let places = 0
  let hasBegun = false
  let open: Open | undefined
  const opened = new Set<Open["kind"]>()

  const event = (type: string, members: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...members })}\n\n`

  const begin = (requestId: string): string => {
    if (hasBegun) return ""
    hasBegun = true
    const response = { ...responseHead(requestId, body, created), status: "in_progress" }
    return event("response.created", { response }) + event("response.in_progress", { response })
  }

  const reasoningItem = ({ id, text }: Open) => ({
    type: "reasoning",
    id,
    summary: text === "" ? [] : [{ type: "summary_text", text }]
  })
  const messageItem = ({ id, text }: Open, status: string) => ({
    type: "message",
    id,
    role: "assistant",
    status,
    content: status === "in_progress" ? [] : [{ type: "output_text", text, annotations: [], logprobs: [] }]
  })

  const openItem = (kind: Open["kind"], requestId: string): string => {
    const place = places++
    // A model may think again between its words.
    const again = opened.has(kind) ? `${place}_` : ""
    opened.add(kind)
    const one: Open = { kind, id: `${kind === "text" ? "msg" : "rs"}_${again}${requestId}`, place, text: "" }
    open = one
    const at = { item_id: one.id, output_index: one.place }
    return kind === "text"
      ? event("response.output_item.added", { output_index: one.place, item: messageItem(one, "in_progress") }) +
          event("response.content_part.added", {
            ...at,
            content_index: 0,
            part: { type: "output_text", text: "", annotations: [], logprobs: [] }
          })
      : event("response.output_item.added", { output_index: one.place, item: reasoningItem(one) }) +
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
    const at = { item_id: one.id, output_index: one.place }
    return one.kind === "text"
      ? event("response.output_text.done", { ...at, content_index: 0, text: one.text, logprobs: [] }) +
          event("response.content_part.done", {
            ...at,
            content_index: 0,
            part: { type: "output_text", text: one.text, annotations: [], logprobs: [] }
          }) +
          event("response.output_item.done", { output_index: one.place, item: messageItem(one, status) })
      : event("response.reasoning_summary_text.done", { ...at, summary_index: 0, text: one.text }) +
          event("response.reasoning_summary_part.done", {
            ...at,
            summary_index: 0,
            part: { type: "summary_text", text: one.text }
          }) +
          event("response.output_item.done", { output_index: one.place, item: reasoningItem(one) })
  }

  const call = (item: ReturnType<typeof itemsOf>["asked"][number]): string => {
    const place = places++
    const at = { item_id: item.id, output_index: place }
    return (
      event("response.output_item.added", {
        output_index: place,
        item: { ...item, arguments: "", status: "in_progress" }
      }) +
      event("response.function_call_arguments.delta", { ...at, delta: item.arguments }) +
      event("response.function_call_arguments.done", { ...at, name: item.name, arguments: item.arguments }) +
      event("response.output_item.done", { output_index: place, item })
    )
  }

  const say = ({ kind, requestId, text }: GatewayDelta): string => {
    const begun = open?.kind === kind ? "" : close("completed") + openItem(kind, requestId)
    const one = open as Open
    one.text += text
    const at = { item_id: one.id, output_index: one.place, delta: text }
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
      const { asked, message } = itemsOf(answer)
      const begun = begin(answer.requestId)
      // An answer without a word has its item all the same.
      const silent = places === 0 && message.length > 0 ? openItem("text", answer.requestId) : ""
      const response = responseOf(answer, body, created)
      const closed = close(response.status)
      const calls = asked.map(call).join("")
      return begun + silent + closed + calls + event(`response.${response.status}`, { response })
    },
    failure: (error: { readonly code: string; readonly message: string }): string =>
      event("error", { code: error.code, message: error.message, param: null })
  }
}
