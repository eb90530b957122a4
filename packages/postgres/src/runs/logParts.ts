/**
 * Logs of runs that ended some time ago: a row of `compressed_log` has some hundred events. `pageIn` unfolds them, so that only this
 * file and its statements know in which table an event is.
 */
import { parseJson } from "@agent-platform/kernel"
import { LOG_PAGE_BYTES, type RunEvent } from "@agent-platform/runs"
import { DateTime } from "effect"
import type { Row } from "../table.ts"
import { compressText, decompressText } from "./compressedText.ts"
import { runEventTable } from "./runEventTable.ts"

/** An event as it is read to be compressed: its data as the text that the database makes of it. */
export interface LoggedRow {
  readonly run_id: string
  readonly seq: number
  readonly type: string
  readonly millis: number
  readonly attempt: number
  readonly data: string
}

/** Events of one run, compressed. */
export interface LogPart {
  readonly runId: string
  readonly firstSeq: number
  readonly lastSeq: number
  readonly bytes: number
  readonly events: Uint8Array
}

/** A part ends with the event that brings it to this many bytes of data, or to this many events. */
const PART_BYTES = LOG_PAGE_BYTES / 4
const PART_EVENTS = 500

/** Most parts in which a page of `limit` events can lie: the first and the last part need not be full. */
export const partsOfPage = (limit: number): number => 2 + LOG_PAGE_BYTES / PART_BYTES + Math.ceil(limit / PART_EVENTS)

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** A part with one line for each event, and times as differences to the event before. JSON as Postgres writes it has no line breaks. */
const partOf = (rows: ReadonlyArray<LoggedRow>): LogPart => {
  let before = 0
  const lines = rows.map(({ attempt, data, millis, type }) => {
    const line = `${attempt} ${millis - before} ${type} ${data}\n`
    before = millis
    return line
  })
  return {
    runId: rows[0]?.run_id ?? "",
    firstSeq: rows[0]?.seq ?? 0,
    lastSeq: rows.at(-1)?.seq ?? 0,
    bytes: rows.reduce((sum, { data }) => sum + bytesOf(data), 0),
    events: compressText(lines.join(""))
  }
}

/** Makes parts out of events that are added in the order of runs and numbers. How many are added at a time makes no difference. */
export const makeParts = () => {
  let [rows, bytes]: [Array<LoggedRow>, number] = [[], 0]
  const cut = (): ReadonlyArray<LogPart> => {
    const made = rows.length === 0 ? [] : [partOf(rows)]
    rows = []
    bytes = 0
    return made
  }
  return {
    /** Takes events, and returns the parts that they complete. */
    add: (added: ReadonlyArray<LoggedRow>): ReadonlyArray<LogPart> =>
      added.flatMap((row) => {
        const done = rows[0] !== undefined && rows[0].run_id !== row.run_id ? cut() : []
        rows.push(row)
        bytes += bytesOf(row.data)
        return rows.length < PART_EVENTS && bytes < PART_BYTES ? done : [...done, ...cut()]
      }),
    /** The last part, if there are events left. */
    end: cut
  }
}

/** A row of a log as it is read: an event, or a part, whose first number is `seq` and whose events are in `events`. */
export interface LogRow extends Row {
  readonly run_id: string
  readonly session_id: string
  readonly seq: number
  readonly events: Uint8Array | null
}

function* eventsIn(row: LogRow): Generator<{ readonly event: RunEvent; readonly bytes: number }> {
  if (row.events === null) {
    // The statement that reads single events ends the page itself, so their bytes need not be counted.
    yield { event: runEventTable.read(row), bytes: 0 }
    return
  }
  let [seq, millis] = [row.seq, 0]
  for (const line of decompressText(row.events).split("\n").slice(0, -1)) {
    const [, attempt = "", passed = "", type = "", data = ""] = /^(\d+) (-?\d+) (\S+) (.*)$/s.exec(line) ?? []
    millis += Number(passed)
    const event = {
      runId: row.run_id,
      sessionId: row.session_id,
      seq: seq++,
      type,
      createdAt: DateTime.makeUnsafe(millis),
      attempt: Number(attempt),
      data: parseJson(data)
    } as RunEvent
    yield { event, bytes: bytesOf(data) }
  }
}

/** The page of a log after `after`, out of ordered rows; it is the same for single events and for parts. */
export const pageIn = (
  rows: ReadonlyArray<LogRow>,
  { after, limit }: { readonly after: number; readonly limit: number }
): ReadonlyArray<RunEvent> => {
  const page: Array<RunEvent> = []
  let pageBytes = 0
  for (const row of rows) {
    for (const { bytes, event } of eventsIn(row)) {
      if (event.seq <= after) continue
      if (page.length >= limit || pageBytes >= LOG_PAGE_BYTES) return page
      page.push(event)
      pageBytes += bytes
    }
  }
  return page
}
