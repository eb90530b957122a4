/** How a conversation that is too long makes room. */
import { RunId } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import type { Conversation, PastTurn } from "../../src/chat/Conversation.ts"
import { shortened } from "../../src/chat/shorten.ts"

const runId = (place: number) => RunId.make(`00000000-0000-7000-8000-${String(place).padStart(12, "0")}`)

/** A turn in which a tool was called that gave back so many characters. */
const turn = (place: number, length: number, words = "Well."): PastTurn => ({
  runIds: [runId(place)],
  messages: [
    { role: "user", content: [{ type: "text", text: `Question ${place}` }] },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: `call_${place}`, toolName: "look", input: {} }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: `call_${place}`,
          toolName: "look",
          output: { type: "text", value: "x".repeat(length) }
        }
      ]
    },
    { role: "assistant", content: [{ type: "text", text: words }] }
  ]
})

const conversation = (past: ReadonlyArray<PastTurn>, own: PastTurn): Conversation => ({
  version: 2,
  model: "openai/gpt-5",
  past,
  leftOutUpTo: null,
  replies: {},
  handedOver: [],
  origins: {},
  saidMeanwhile: null,
  steps: 1,
  said: null,
  ...own
})

/** The length of each turn's result, and of its marker; undefined for a turn that has left. */
const resultsIn = ({ messages, past }: Conversation): ReadonlyArray<string> =>
  [...past.flatMap((one) => one.messages), ...messages].flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) =>
          part.type === "tool-result" && part.output.type === "text"
            ? [part.output.value.startsWith("x") ? `${part.output.value.length}` : part.output.value]
            : []
        )
      : []
  )

const K = 1024

describe("a conversation that is too long", () => {
  it("stays as it is while it is not", () => {
    const short = conversation([turn(1, 100 * K), turn(2, 200 * K)], turn(3, 100 * K))
    assert.strictEqual(shortened(short), short)
  })

  it("loses results of tools, oldest first, until half is left", () => {
    const after = shortened(conversation([turn(1, 200 * K), turn(2, 100 * K), turn(3, 100 * K)], turn(4, 150 * K)))
    const marker = (length: number) => `[left out to make room: ${length * K + 26} characters]`
    assert.deepStrictEqual(resultsIn(after), [marker(200), marker(100), `${100 * K}`, `${150 * K}`])
    assert.strictEqual(after.past.length, 3)
    assert.isNull(after.leftOutUpTo)
  })

  it("loses none of the results of its last answer", () => {
    const own = turn(2, 300 * K)
    const after = shortened(conversation([turn(1, 300 * K)], { ...own, messages: own.messages.slice(0, 3) }))
    assert.deepStrictEqual(resultsIn(after).at(-1), `${300 * K}`)
    const alone = conversation([], { ...own, messages: turn(2, 600 * K).messages.slice(0, 3) })
    assert.strictEqual(shortened(alone), alone)
  })

  it("loses its oldest turns, calls and results together, where that is not enough", () => {
    const words = "w".repeat(120 * K)
    const past = [1, 2, 3, 4, 5].map((place) => turn(place, 100, words))
    const after = shortened(conversation(past, turn(6, 100)))
    assert.deepStrictEqual(
      after.past.map(({ runIds }) => runIds[0]),
      [runId(4), runId(5)]
    )
    assert.strictEqual(after.leftOutUpTo, runId(3))
    for (const { messages } of after.past) assert.strictEqual(messages.length, 4)
  })

  it("keeps half of more than 200 turns", () => {
    const past = Array.from({ length: 201 }, (_, place) => turn(place, 10))
    const after = shortened(conversation(past, turn(500, 10)))
    assert.strictEqual(after.past.length, 100)
    assert.strictEqual(after.leftOutUpTo, runId(100))
  })
})
