/** Answers of a model provider: a piece of its stream filled everywhere, many pieces, and a refusal. */
import type { ServerResponse } from "node:http"
import { type Case, type Scale, sampled, sizesBelow } from "./cases.ts"
import { nameOfPlace, placesOf, type Schema } from "./contractWalk.ts"
import { documentWith } from "./documents.ts"
import type { Platform } from "./platform.ts"
import { answerAsProvider, callOf, chunkOf, DONE, streamHead } from "./providerStub.ts"
import { chatAgent, runCases } from "./runCases.ts"
import { shapesOf } from "./shapes.ts"
import { type Answer, type Strangers, writeAll } from "./strangers.ts"
import { makeTester } from "./tester.ts"

/** The largest piece that is tried; a whole answer may have 32 MiB (docs/agents.md). */
const PIECE_BYTES_MAX = 1024 * 1024
const MANY_BYTES_MAX = 4 * 1024 * 1024

/** Left free below a size, since a shape may come out a little longer than it is asked to be. */
const SPARE_BYTES = 64

const ENDPOINT = "a model provider's answer"

const text: Schema = { type: "string" }
const integer: Schema = { type: "integer" }
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties)
})
const list = (items: Schema): Schema => ({ type: "array", items })

/** Its members are there only where they are filled: an answer that always called tools would never be the last. */
const optional = (schema: Schema): Schema => ({ ...schema, required: [] })

/** A piece of the stream of an `openai_compatible` server. */
const PIECE = object({
  id: text,
  model: text,
  choices: list(
    object({
      index: { ...integer, examples: [0] },
      delta: optional(
        object({
          content: text,
          reasoning_content: text,
          tool_calls: list(
            object({
              index: { ...integer, examples: [0] },
              id: text,
              function: object({ name: { ...text, examples: ["ask_user"] }, arguments: { ...text, examples: ["{}"] } })
            })
          )
        })
      ),
      finish_reason: { ...text, examples: [null] }
    })
  ),
  usage: object({ prompt_tokens: integer, completion_tokens: integer, prompt_tokens_details: { examples: [{}] } })
})

const REFUSAL = object({ error: object({ message: text, type: text, code: text, param: {} }) })

interface Oddity {
  readonly member: string
  readonly bytesMax: number
  readonly status: number
  readonly parts: (size: number) => Iterable<string>
}

const END = `${chunkOf({ content: "Done." })}${chunkOf({}, "stop")}${DONE}`

const filled = (member: string, schema: Schema, status: number, wrap: (raw: string) => string): ReadonlyArray<Oddity> =>
  placesOf(schema).flatMap((place) =>
    shapesOf(place, {}).map((shape) => ({
      member: `${member} ${nameOfPlace(place)}: ${shape.name}`,
      bytesMax: PIECE_BYTES_MAX,
      status,
      parts: (size: number) => {
        const whole = documentWith(schema, place, {})
        return [wrap(whole(shape.text(size - whole("").length - SPARE_BYTES)))]
      }
    }))
  )

function* repeated(size: number, part: (index: number) => string, end: string): Iterable<string> {
  for (let index = 0, sent = 0; sent < size; index++) {
    const next = part(index)
    sent += next.length
    yield next
  }
  yield end
}

const many = (member: string, part: (index: number) => string, end = END): Oddity => ({
  member: `many pieces: ${member}`,
  bytesMax: MANY_BYTES_MAX,
  status: 200,
  parts: (size) => repeated(size, part, end)
})

const CALLED = `${chunkOf({}, "tool_calls")}${DONE}`

const MANY: ReadonlyArray<Oddity> = [
  many("of a text", () => chunkOf({ content: "a" })),
  many("of reasoning", () => chunkOf({ reasoning_content: "a" })),
  many("of nothing", () => chunkOf({})),
  many("calls of tools", (index) => callOf("ask_user", "{}", `call_${index}`), CALLED),
  many("the arguments of a call", (index) => callOf(index === 0 ? "ask_user" : "", index === 0 ? "" : "[1,"), CALLED),
  many("empty lines", () => "\n".repeat(1_000)),
  many("comments", () => ": a\n".repeat(250)),
  many("usage", () => chunkOf({}, null, { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }))
]

const writeHead = (response: ServerResponse, status: number) =>
  status === 200 ? streamHead(response) : response.writeHead(status, { "content-type": "application/json" })

/** Every case of an answer of a provider, to a call of its model and to the question whether it takes a key. */
export const providerCases = (platform: Platform, strangers: Strangers, scale: Scale): ReadonlyArray<Case> => {
  let odd: Oddity | undefined
  let size = 0
  let isAnswered = false
  const answer: Answer = (response, body, request) => {
    if (odd === undefined || body.includes('"role":"tool"')) return answerAsProvider(response, body, request)
    // A repeated request is refused for good: every other repetition would be waited for.
    if (isAnswered) return response.writeHead(400, { "content-type": "application/json" }).end("{}")
    isAnswered = odd.status === 200
    writeAll(writeHead(response, odd.status), odd.parts(size))
  }
  const url = strangers.settle(answer)
  const caseOf = runCases(platform, (tester) => chatAgent(tester, url, { tools: ["ask_user"] }))
  const oddities = [
    ...sampled(
      filled("a piece", PIECE, 200, (raw) => `data: ${raw}\n\n${END}`),
      scale,
      16
    ),
    ...sampled(
      filled("a refusal", REFUSAL, 400, (raw) => raw),
      scale,
      16
    ),
    ...sampled(MANY, scale, 2)
  ]
  const calls = oddities.map((one) =>
    caseOf({ endpoint: ENDPOINT, member: one.member, sizes: sizesBelow(one.bytesMax, scale) }, (next) => {
      odd = one
      size = next
      isAnswered = false
    })
  )
  const probes = sampled(
    filled("a refused key", REFUSAL, 401, (raw) => raw),
    scale,
    16
  ).map(
    (one): Case => ({
      endpoint: ENDPOINT,
      member: one.member,
      sizes: sizesBelow(one.bytesMax, { ...scale, doublings: 2 }),
      prepare: async (next) => {
        const tester = await makeTester(platform)
        odd = one
        size = next
        const body = JSON.stringify({ key: "sk-measured-0123456789", base_url: url })
        return async () => String((await tester.ask("POST", "/api/v1/byok/openai_compatible", body)).status)
      }
    })
  )
  return [...calls, ...probes]
}
