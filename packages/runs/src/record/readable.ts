/** A record for people to read: its parts, their order and where it is cut, the same for every format. */
import { utf8 } from "../utf8.ts"
import type { RecordDocument } from "./recordDocument.ts"
import { factsOf, jsonOf, type Part, partOf, partsOf, titleOf } from "./recordParts.ts"

/** Most bytes of a page or a text, with the JSON that a page may hold. */
export const READABLE_BYTES_MAX = 32 * 1024 * 1024

/** How one format writes the parts of a record. */
export interface RecordFormat {
  readonly opening: (title: string, facts: ReadonlyArray<readonly [string, string]>) => string
  readonly heading: (title: string) => string
  readonly message: (one: Part) => string
  readonly approval: (one: Part) => string
  readonly value: (json: string) => string
  /** The text before the entries of the timeline, each of them, and the text behind them. */
  readonly table: string
  readonly entry: (one: Part) => string
  readonly tableEnd: string
  /** Says, where items are left out, that they are. */
  readonly cut: (note: string) => string
  readonly closing: (document: RecordDocument) => string
}

/** Room for a heading, or a note about a cut: each of the two long lists may have both. */
const NOTE_BYTES = 1_024

const decoder = new TextDecoder()

const partIn = (item: Uint8Array): Part => JSON.parse(decoder.decode(item))

/** A question with its data, such as calls of tools, and what came with its answer, such as the decisions about them. */
const questionIn = (one: Part, format: RecordFormat): string => {
  const values = [jsonOf(one, "interrupt"), jsonOf(partOf(one, "answer"), "reply")]
  return [format.approval(one), ...values.flatMap((json) => (json === undefined ? [] : [format.value(json)]))].join("")
}

/** The record in a format, piece by piece: `bytesMax` at most, of which the long lists get what the other parts leave. */
export function* readable(document: RecordDocument, format: RecordFormat, bytesMax: number): Generator<string> {
  const { head, lists } = document
  const run = partOf(head, "run")
  const opening = format.opening(titleOf(head), factsOf(head))
  const questions = partsOf(head, "approvals").map((one) => questionIn(one, format))
  const values = [
    ["Input", jsonOf(run, "input")],
    ["Result", jsonOf(run, "result")]
  ] as const
  const sections = [
    ...(questions.length === 0 ? [] : [format.heading("Questions"), ...questions]),
    ...values.flatMap(([title, json]) => (json === undefined ? [] : [format.heading(title), format.value(json)]))
  ]
  const closing = format.heading("Integrity") + format.closing(document)
  let left = bytesMax - [opening, ...sections, closing].reduce((sum, text) => sum + utf8(text).length, 4 * NOTE_BYTES)

  function* items(name: string, list: ReadonlyArray<Uint8Array>, write: (one: Part) => string, end = "") {
    for (const [index, item] of list.entries()) {
      const text = write(partIn(item))
      left -= utf8(text).length
      if (left >= 0) {
        yield text
        continue
      }
      const megabytes = READABLE_BYTES_MAX / 1024 / 1024
      yield end
      yield format.cut(
        `Cut here: this is limited to ${megabytes} MiB, and ${list.length - index} of ${list.length} ${name} are left out. ` +
          "The record as JSON has all of them."
      )
      return
    }
    yield end
  }

  yield opening
  if (lists.messages.length > 0) {
    yield format.heading("Messages")
    yield* items("messages", lists.messages, format.message)
  }
  yield* sections
  yield format.heading("Timeline") + format.table
  yield* items("entries of the timeline", lists.timeline, format.entry, format.tableEnd)
  yield closing
}
