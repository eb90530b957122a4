import { RunFeed, RunFeedPosition } from "@agent-platform/runs"
import { Effect } from "effect"
import { uuids } from "../columns.ts"
import { feedEnd, hasReachedPlace, readFeedPlace, writeFeedPlace } from "../feedPlaces.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { runTable } from "./runTable.ts"

/** The runs of workspaces in the order of `changed_xid`, which every statement sets that makes a change for the feed. */
export const layer = layerSql(RunFeed)((sql) => ({
  end: Effect.map(feedEnd(sql), (end) => RunFeedPosition.make(end)),

  hasReached: (place) => hasReachedPlace(sql, place),

  read: ({ after, limit, upTo, workspaces }) => {
    if (workspaces.length === 0) return Effect.succeed({ changes: [], next: upTo })
    const [afterTransaction, afterId] = readFeedPlace(after)
    const [upToTransaction, upToId] = readFeedPlace(upTo)
    // One look-up in the index for each workspace: a single condition over all of them would sort the whole feed.
    return sql<Row & { readonly id: string; readonly transaction: string }>`
      select ${sql.literal(runTable.each((column) => `found.${column}`))}, found.changed_xid::text as transaction
      from unnest(${uuids(workspaces)}) as followed (workspace_id)
      cross join lateral (
        select ${sql.literal(runTable.selected)}, changed_xid from agent_platform.run
        where run.workspace_id = followed.workspace_id
          and (run.changed_xid, run.id) > (${afterTransaction}::text::xid8, ${afterId}::uuid)
          and (run.changed_xid, run.id) <= (${upToTransaction}::text::xid8, ${upToId}::uuid)
        order by run.changed_xid, run.id limit ${limit + 1}
      ) as found
      order by found.changed_xid, found.id limit ${limit + 1}
    `.pipe(
      mapRows((rows) => {
        const changes = rows.slice(0, limit).map((row) => ({
          run: runTable.read(row),
          position: RunFeedPosition.make(writeFeedPlace(row.transaction, row.id))
        }))
        return { changes, next: rows.length > limit ? (changes.at(-1)?.position ?? upTo) : upTo }
      })
    )
  }
}))
