/** Answers of an HTTP agent: every line it can send, filled everywhere, and answers of many lines. */
import type { ServerResponse } from "node:http"
import { type Case, type Scale, sampled, sizesBelow } from "./cases.ts"
import { nameOfPlace, placesOf, type Schema } from "./contractWalk.ts"
import { documentWith } from "./documents.ts"
import type { Platform } from "./platform.ts"
import { httpAgent, runCases } from "./runCases.ts"
import { shapesOf } from "./shapes.ts"
import { type Strangers, writeAll } from "./strangers.ts"

/** The longest line and the longest answer that are read, in bytes (docs/agents.md). */
const LINE_BYTES_MAX = 512 * 1024
const ANSWER_BYTES_MAX = 16 * 1024 * 1024

/** Lines that each become an event of the log: more of them would take minutes of the database's time. */
const EVENTS_BYTES_MAX = 1024 * 1024

/** Left free below a size, since a shape may come out a little longer than it is asked to be. */
const SPARE_BYTES = 8

const ENDPOINT = "an agent's answer"

const text: Schema = { type: "string" }
const anything: Schema = {}
const count: Schema = { type: "integer" }

const line = (type: string, properties: Readonly<Record<string, Schema>>): Schema => ({
  type: "object",
  properties: { type: { enum: [type] }, ...properties },
  required: ["type", ...Object.keys(properties)]
})

/** The lines of docs/agents.md. */
export const LINES: ReadonlyArray<readonly [string, Schema]> = [
  ["message.delta", line("message.delta", { text })],
  ["message.completed", line("message.completed", { text })],
  ["tool.started", line("tool.started", { name: text, more: anything })],
  ["tool.completed", line("tool.completed", { name: text, more: anything })],
  ["log", line("log", { message: text, more: anything })],
  ["usage", line("usage", { provider: text, model: text, input_tokens: count, output_tokens: count })],
  ["checkpoint", line("checkpoint", { state: anything })],
  ["result", line("result", { result: anything, message: text })],
  ["pause", line("pause", { message: text, interrupt: anything })],
  ["fail", line("fail", { error: text })]
]

const ENDINGS = new Set(["result", "pause", "fail"])

const THE_END = '{"type":"result"}\n'

/** One line with something of this size in one place; what does not end the run is followed by an end. */
const lineCases = (scale: Scale) =>
  LINES.flatMap(([type, schema]) =>
    placesOf(schema)
      .filter(({ path }) => path[0] !== "type")
      .flatMap((place) =>
        shapesOf(place, {}).map((shape) => ({
          member: `${type} ${nameOfPlace(place)}: ${shape.name}`,
          sizes: sizesBelow(LINE_BYTES_MAX, scale),
          parts: (size: number) => {
            const whole = documentWith(schema, place, {})
            const filled = whole(shape.text(size - whole("").length - SPARE_BYTES))
            return [`${filled}\n`, ...(ENDINGS.has(type) ? [] : [THE_END])]
          }
        }))
      )
  )

/** The part again and again until so many bytes are sent, in blocks of about 64 KB at most, and then the end. */
function* repeated(part: string, bytes: number, end = THE_END): Iterable<string> {
  const block = part.repeat(Math.max(1, Math.min(1024, Math.floor(64_000 / part.length))))
  for (let sent = 0; sent < bytes; sent += block.length) yield block
  yield end
}

const LONG_TEXT = '\\"<&'.repeat(15_000)

const MANY: ReadonlyArray<readonly [member: string, bytesMax: number, parts: (size: number) => Iterable<string>]> = [
  ["empty lines", ANSWER_BYTES_MAX, (size) => repeated("\n", size)],
  ["lines of blanks", ANSWER_BYTES_MAX, (size) => repeated(`${" ".repeat(1000)}\n`, size)],
  ["a line without end", ANSWER_BYTES_MAX, (size) => repeated("a", size)],
  ["a line of blanks without end", ANSWER_BYTES_MAX, (size) => repeated(" ", size)],
  ["deltas", EVENTS_BYTES_MAX, (size) => repeated('{"type":"message.delta","text":"a"}\n', size)],
  ["completed messages", EVENTS_BYTES_MAX, (size) => repeated('{"type":"message.completed","text":"a"}\n', size)],
  ["log lines", EVENTS_BYTES_MAX, (size) => repeated('{"type":"log","message":"a"}\n', size)],
  ["long log lines", ANSWER_BYTES_MAX, (size) => repeated(`{"type":"log","message":"${LONG_TEXT}"}\n`, size)]
]

/** Every case of an agent's answer. */
export const agentCases = (platform: Platform, strangers: Strangers, scale: Scale): ReadonlyArray<Case> => {
  let parts: Iterable<string> = [THE_END]
  let headers: Readonly<Record<string, string>> = {}
  const answer = (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "application/x-ndjson", ...headers })
    writeAll(response, parts)
  }
  const caseOf = runCases(platform, (tester) => httpAgent(tester, strangers.settle(answer)))
  const ready = (next: Iterable<string>, head: Readonly<Record<string, string>> = {}) => {
    parts = next
    headers = head
  }
  // A header of these takes about 12 bytes.
  const names = (size: number) =>
    Object.fromEntries(Array.from({ length: Math.floor(size / 12) }, (_, index) => [`x-n${index}`, "1"]))
  return [
    ...sampled(lineCases(scale), scale, 8).map(({ member, parts: make, sizes }) =>
      caseOf({ endpoint: ENDPOINT, member, sizes }, (size) => ready(make(size)))
    ),
    ...MANY.map(([member, bytesMax, make]) =>
      caseOf(
        {
          endpoint: ENDPOINT,
          member,
          sizes: sizesBelow(bytesMax, scale)
        },
        (size) => ready(make(size))
      )
    ),
    caseOf({ endpoint: ENDPOINT, member: "headers: names", sizes: [3_000, 6_000, 12_000] }, (size) =>
      ready([THE_END], names(size))
    ),
    caseOf({ endpoint: ENDPOINT, member: "headers: one long value", sizes: [3_000, 6_000, 12_000] }, (size) =>
      ready([THE_END], { "x-n": "a".repeat(size) })
    )
  ]
}
