/** Answers of a server of tools, out of a body of JSON or a stream of events. */
import { JSON_FAULTS, type RequestFailed, readJson } from "@agent-platform/kernel"
import { Effect, Option, Predicate, type Schema, Stream } from "effect"
import { at } from "../ProviderAnswer.ts"
import { McpFailed } from "./McpFailed.ts"

/** The texts of the events in a stream, each as its data lines say. */
const eventsOf = (body: Stream.Stream<Uint8Array, RequestFailed>): Stream.Stream<string, RequestFailed> =>
  body.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.mapAccum(
      (): Array<string> => [],
      // One list that grows: a stream may have a hundred thousand lines, and copies of it would take minutes.
      (lines, line) => {
        if (line === "") return [lines, lines.length === 0 ? [] : [lines.splice(0).join("\n")]] as const
        if (line.startsWith("data:")) lines.push(line.slice(5).replace(/^ /, ""))
        return [lines, []] as const
      }
    )
  )

/** The member of a result that is true where reading has changed a number of the server's answer. */
export const CHANGED_NUMBER = "agent-platform/changed_number"

/** The result of the request with this id, in a text of one message or a batch of them; undefined where it does not answer it. */
const resultIn = (text: string, id: number): Effect.Effect<Schema.Json | undefined, McpFailed> => {
  const { changed, fault, value } = readJson(text)
  // A text that is no JSON may be an event that answers nothing.
  if (fault !== undefined && fault !== "not_json") {
    return Effect.fail(new McpFailed({ detail: `What it sent ${JSON_FAULTS[fault]}` }))
  }
  const message = (Array.isArray(value) ? value : [value]).find((one) => at(one, "id") === id)
  if (message === undefined) return Effect.undefined
  const error = at(message, "error")
  if (error === undefined) {
    const result = (at(message, "result") ?? null) as Schema.Json
    const hasChanged = Predicate.isObject(result) && changed !== undefined
    return Effect.succeed(hasChanged ? Object.assign(result, { [CHANGED_NUMBER]: true }) : result)
  }
  const said = at(error, "message")
  return Effect.fail(new McpFailed({ detail: typeof said === "string" ? said : "It answered with an error" }))
}

/** The result of the request with this id, out of the answer's body, which is read no further than that. */
export const resultOf = Effect.fnUntraced(function* (
  body: Stream.Stream<Uint8Array, RequestFailed>,
  contentType: string,
  id: number
) {
  const texts = /^text\/event-stream\b/i.test(contentType)
    ? eventsOf(body)
    : Stream.fromEffect(Stream.mkString(Stream.decodeText(body)))
  const found = yield* texts.pipe(
    Stream.mapEffect((text) => resultIn(text, id)),
    Stream.filter((result) => result !== undefined),
    Stream.runHead
  )
  if (Option.isSome(found)) return found.value
  return yield* new McpFailed({ detail: "It did not answer the request" })
})
