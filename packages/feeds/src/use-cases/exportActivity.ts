import type { OrganizationId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect, Option, Schema, Stream } from "effect"
import { Digest } from "effect/crypto"
import { EXPORT_PAGE_MAX, type ExportCursor, writePage } from "../ActivityExport.ts"
import { ActivityHistory } from "../ports/ActivityHistory.ts"

/** No export of the organization ended at the cursor, or the database was restored from a dump since. */
export class ExportCursorUnknown extends Schema.TaggedError<ExportCursorUnknown>()("ExportCursorUnknown", {}) {}

/**
 * The organization's activity in pages, behind a cursor or from the beginning: at least one page, which may have no entries, up
 * to the watermark of now. The same cursor always gives the same entries in the same order, and more behind them later.
 */
export const exportActivity = useCase("feeds.exportActivity")(function* (query: {
  readonly organizationId: OrganizationId
  readonly after: ExportCursor | undefined
}) {
  const history = yield* ActivityHistory
  const digest = yield* Digest.Digest
  const { after, organizationId } = query
  if (after?.place !== undefined && !(yield* history.hasReached(organizationId, after.place))) {
    return yield* new ExportCursorUnknown()
  }
  const before = yield* history.watermark
  const pageAfter = Effect.fnUntraced(
    function* (cursor: ExportCursor | undefined) {
      const { end, entries, more } = yield* history.read({
        organizationId,
        after: cursor?.place,
        before,
        limit: EXPORT_PAGE_MAX
      })
      const page = yield* writePage(organizationId, cursor, entries, end)
      return [[page], more ? Option.some(page.cursor) : Option.none<ExportCursor>()] as const
    },
    Effect.provideService(Digest.Digest, digest)
  )
  return Stream.paginate(after, pageAfter)
})
