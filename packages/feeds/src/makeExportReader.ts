/** Reads exports of activity back, and finds whether any line of them was changed, left out or put in. */
import type { OrganizationId } from "@agent-platform/kernel"
import { Effect, Option, Schema } from "effect"
import {
  type ExportCursor,
  type ExportedEntry,
  type ExportHeader,
  ExportLine,
  hashLines,
  readCursor,
  writeCursor
} from "./ActivityExport.ts"

/** A page that agrees with its hash and with the page before. */
export interface ReadPage {
  readonly organizationId: OrganizationId
  readonly entries: ReadonlyArray<ExportedEntry>
  readonly cursor: ExportCursor
}

/** The export is not as it was written: `detail` says which page was changed, left out or put in. */
export class ExportBroken extends Schema.TaggedError<ExportBroken>()("ExportBroken", { detail: Schema.String }) {}

/** A page whose end is still to come. */
interface OpenPage {
  readonly header: ExportHeader
  readonly lines: Array<string>
  readonly entries: Array<ExportedEntry>
}

const decode = Schema.decodeUnknownOption(ExportLine)

const broken = (detail: string) => Effect.fail(new ExportBroken({ detail }))

/** Why a page cannot come behind `last`, or first; undefined where it can. */
const gapBefore = (header: ExportHeader, last: ReadPage | undefined): string | undefined => {
  const { from, organization_id, page, previous_sha256 } = header
  if (last === undefined) {
    const fits = page === 1 ? previous_sha256 === null && from === null : previous_sha256 !== null
    return fits ? undefined : `page ${page} says of the page before it what no export says`
  }
  const { cursor, organizationId } = last
  if (organization_id !== organizationId) return `page ${page} is of another organization than page ${cursor.page}`
  if (page !== cursor.page + 1) return `page ${cursor.page + 1} is missing: page ${page} follows on page ${cursor.page}`
  if (previous_sha256 !== cursor.sha256 || from !== (cursor.place ?? null)) {
    return `page ${page} names another page before it than the page ${cursor.page} that was read`
  }
  return undefined
}

/** A reader of the pages of one export, in their order, in however many files; the first need not be page 1. */
export const makeExportReader = () => {
  let last: ReadPage | undefined
  let open: OpenPage | undefined

  /** Ends the open page, whose last line names the cursor `given`; undefined where that line contradicts itself. */
  const close = Effect.fnUntraced(function* ({ entries, header, lines }: OpenPage, given: ExportCursor | undefined) {
    const { organization_id, page, to } = header
    const sha256 = yield* hashLines(lines)
    const cursor: ExportCursor = { page, sha256, place: to ?? undefined }
    if (given === undefined || writeCursor(given) !== writeCursor(cursor)) {
      return yield* broken(`page ${page} was changed: its hash is ${sha256}, and its end names another`)
    }
    if (entries.length !== header.entries) {
      return yield* broken(`page ${page} has ${entries.length} entries and says that it has ${header.entries}`)
    }
    open = undefined
    last = { organizationId: organization_id, entries, cursor }
    return last
  })

  return {
    /** Reads the next line, and returns the page that ends with it, if one does. */
    line: Effect.fnUntraced(function* (text: string) {
      const line = Option.getOrUndefined(decode(text))
      if (line === undefined) return yield* broken("the line is none of an export")
      if (line.type === "page") {
        if (open !== undefined) return yield* broken(`page ${open.header.page} has no end`)
        const gap = gapBefore(line, last)
        if (gap !== undefined) return yield* broken(gap)
        open = { header: line, lines: [text], entries: [] }
        return undefined
      }
      if (open === undefined) return yield* broken("the line is of a page whose beginning is missing")
      if (line.type === "end") {
        const given = readCursor(line.cursor)
        return yield* close(open, line.sha256 === given?.sha256 && line.page === given.page ? given : undefined)
      }
      const { header } = open
      if (open.entries.length === header.entries || line.organization_id !== header.organization_id) {
        return yield* broken(`page ${header.page} has an entry that does not belong there: ${line.id}`)
      }
      open.lines.push(text)
      open.entries.push(line)
      return undefined
    }),
    /** Fails where a page has begun and has no end. */
    end: Effect.suspend(() => (open === undefined ? Effect.void : broken(`page ${open.header.page} has no end`)))
  }
}
