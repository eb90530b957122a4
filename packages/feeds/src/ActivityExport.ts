/**
 * The pages of an export of activity: lines of JSON, each page naming the hash of the page before, so that none can be changed
 * or left out without a trace. See docs/operations.md, Activity for auditors.
 */
import { ActivityId, type ActivityRecord, canonicalJson, OrganizationId, Uuid } from "@agent-platform/kernel"
import { DateTime, Effect, Schema } from "effect"
import { Digest } from "effect/crypto"
import { ActivityPlace } from "./ports/ActivityHistory.ts"

/** Most entries of a page. */
export const EXPORT_PAGE_MAX = 500

/** The end of a page, from which an export goes on. */
export interface ExportCursor {
  /** The page's number; the first page of an organization's first export is 1. */
  readonly page: number
  readonly sha256: string
  /** Undefined while no entry has been exported. */
  readonly place: ActivityPlace | undefined
}

/** The first line of a page. */
const ExportHeader = Schema.Struct({
  type: Schema.Literal("page"),
  page: Schema.Int.check(Schema.isGreaterThan(0)),
  organization_id: OrganizationId,
  previous_sha256: Schema.NullOr(Schema.String),
  from: Schema.NullOr(ActivityPlace),
  to: Schema.NullOr(ActivityPlace),
  entries: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: EXPORT_PAGE_MAX }))
})
export type ExportHeader = typeof ExportHeader.Type

/** A line for an entry. */
const ExportedEntry = Schema.Struct({
  type: Schema.Literal("entry"),
  id: ActivityId,
  organization_id: OrganizationId,
  workspace_id: Schema.NullOr(Uuid),
  action: Schema.String,
  actor_type: Schema.String,
  actor_id: Schema.String,
  actor_label: Schema.String,
  summary: Schema.String,
  resource_type: Schema.String,
  resource_id: Schema.String,
  payload: Schema.Json,
  created_at: Schema.String
})
export type ExportedEntry = typeof ExportedEntry.Type

/** The last line of a page: the hash of the lines before it, and the cursor that goes on behind it. */
const ExportEnd = Schema.Struct({
  type: Schema.Literal("end"),
  page: Schema.Int,
  sha256: Schema.String,
  cursor: Schema.String
})

/** A line of a page. */
export const ExportLine = Schema.fromJsonString(Schema.Union([ExportHeader, ExportedEntry, ExportEnd]))
export type ExportLine = typeof ExportLine.Type

/** The cursor as text: without spaces or anything that a shell reads otherwise. */
export const writeCursor = ({ page, place, sha256 }: ExportCursor): string => `${page}.${sha256}.${place ?? ""}`

/** Reads a cursor from its text; undefined where it is none. */
export const readCursor = (text: string): ExportCursor | undefined => {
  const [, page = "", sha256 = "", place = ""] = /^([1-9]\d{0,14})\.([0-9a-f]{64})\.([!-~]{0,100})$/.exec(text) ?? []
  if (page === "") return undefined
  return { page: Number(page), sha256, place: place === "" ? undefined : ActivityPlace.make(place) }
}

/** The entry as it is exported. */
export const toExported = (entry: ActivityRecord): ExportedEntry => ({
  type: "entry",
  id: entry.id,
  organization_id: entry.organizationId,
  workspace_id: entry.workspaceId,
  action: entry.action,
  actor_type: entry.actor.type,
  actor_id: entry.actor.id,
  actor_label: entry.actor.label,
  summary: entry.summary,
  resource_type: entry.resourceType,
  resource_id: entry.resourceId,
  payload: entry.payload,
  created_at: DateTime.formatIso(entry.createdAt)
})

const utf8 = new TextEncoder()

/** The hash of a page: of all its lines but the last, each with its line feed. */
export const hashLines = (lines: ReadonlyArray<string>): Effect.Effect<string, never, Digest.Digest> =>
  Effect.orDie(
    Digest.Digest.use((digest) =>
      digest.digestHex(Digest.sha256, utf8.encode(lines.map((line) => `${line}\n`).join("")))
    )
  )

/** Writes a page behind another, or the first one: its lines, and its end. */
export const writePage = Effect.fnUntraced(function* (
  organizationId: OrganizationId,
  after: ExportCursor | undefined,
  entries: ReadonlyArray<ActivityRecord>,
  end: ActivityPlace | undefined
) {
  const page = (after?.page ?? 0) + 1
  const header: ExportHeader = {
    type: "page",
    page,
    organization_id: organizationId,
    previous_sha256: after?.sha256 ?? null,
    from: after?.place ?? null,
    to: end ?? null,
    entries: entries.length
  }
  const lines = [canonicalJson(header), ...entries.map((entry) => canonicalJson(toExported(entry)))]
  const cursor: ExportCursor = { page, sha256: yield* hashLines(lines), place: end }
  const last = canonicalJson({ type: "end", page, sha256: cursor.sha256, cursor: writeCursor(cursor) })
  return { lines: [...lines, last], cursor }
})
