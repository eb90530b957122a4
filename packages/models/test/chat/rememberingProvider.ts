/** A provider that remembers what it is told to, and counts it, as Anthropic does. */
import type { Answer, Asked } from "./ScriptedServer.ts"
import { answerOf } from "./wires.ts"

/** Calls for a tool in one conversation. */
export const STEPS = 10

/** How many blocks before a mark Anthropic looks for what it remembers. */
const LOOKED_BACK = 20

interface Block {
  readonly cache_control?: unknown
}

/** The blocks of a request in the order in which they are remembered, and how many stand before each mark. */
export const blocksOf = ({ body }: Asked) => {
  const { messages, system, tools } = body as never as Record<"messages" | "system" | "tools", ReadonlyArray<Block>>
  const said = (messages as never as ReadonlyArray<{ content: ReadonlyArray<Block> }>).flatMap(({ content }) => content)
  const blocks = [...(tools ?? []), ...(system ?? []), ...said]
  const marks = blocks.flatMap((block, place) => (block.cache_control === undefined ? [] : [place + 1]))
  return { marks, texts: blocks.map(({ cache_control, ...block }) => JSON.stringify(block)) }
}

/** A provider that remembers what it is asked to, and counts as Anthropic does: a token for every four characters. */
const remembering = (answer: (counted: object) => Answer) => {
  const remembered = new Set<string>()
  const prefix = (texts: ReadonlyArray<string>, length: number) => texts.slice(0, length).join("\n")
  return (response: Parameters<Answer>[0], asked: Asked) => {
    const { marks, texts } = blocksOf(asked)
    const known = marks.flatMap((mark) =>
      Array.from({ length: LOOKED_BACK }, (_, back) => mark - back).filter(
        (length) => length > 0 && remembered.has(prefix(texts, length))
      )
    )
    const [read, written] = [Math.max(0, ...known), Math.max(0, ...marks)]
    for (const mark of marks) remembered.add(prefix(texts, mark))
    const tokens = (from: number, to: number) => Math.ceil(prefix(texts.slice(from), to - from).length / 4)
    answer({
      cache_read_input_tokens: tokens(0, read),
      cache_creation_input_tokens: tokens(read, written),
      input_tokens: tokens(written, texts.length)
    })(response, asked)
  }
}

/** Ten calls for a tool and a last answer, of a model of Anthropic. */
export const tenCalls = (): Answer => {
  let step = 0
  return remembering((counted) =>
    answerOf.anthropic(
      ++step > STEPS
        ? { text: "Done", counted }
        : { call: { name: "nothing", input: { step, why: "x".repeat(400) } }, counted }
    )
  )
}
