import type { WorkspaceId } from "@agent-platform/kernel"
import { type RunId, RunReader } from "@agent-platform/runs"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { uuids } from "../columns.ts"
import { makeLookUp, type Placed } from "../makeLookUp.ts"
import { mapRows } from "../mapRows.ts"
import { isUuid, type Row } from "../table.ts"
import { listOpenings, listRuns } from "./listRuns.ts"
import { runTable } from "./runTable.ts"

interface RunLookUp {
  readonly workspaceId: WorkspaceId
  readonly id: RunId
}

/** Finding runs in the table `run`. */
export const layer: Layer.Layer<RunReader, never, SqlClient.SqlClient> = Layer.effect(
  RunReader,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(runTable.selected)
    const find = yield* makeLookUp(sql, {
      idOf: ({ id, workspaceId }: RunLookUp) => `${id} ${workspaceId}`,
      read: (keys) =>
        sql<Row & Placed>`
          select ${columns}, asked.place
          from unnest(${uuids(keys.map(({ id }) => id))}, ${uuids(keys.map(({ workspaceId }) => workspaceId))})
            with ordinality as asked (id, workspace_id, place)
          join agent_platform.run on run.id = asked.id and run.workspace_id = asked.workspace_id
        `,
      toFound: runTable.read
    })

    return RunReader.of({
      find: (workspaceId, id) => find({ workspaceId, id }),
      findHeld: (id) =>
        sql<Row & { readonly claim_token: string | null }>`
          select ${columns}, run.claim_token from agent_platform.run where run.id = ${id}
        `.pipe(
          mapRows(([row]) => (row === undefined ? undefined : { run: runTable.read(row), claimToken: row.claim_token }))
        ),
      list: listRuns(sql),
      openings: listOpenings(sql),
      // The ids are of resources of any kind: those that cannot be a run's are left out.
      unfinishedAmong: (ids) =>
        sql<{ readonly id: string }>`
          select id::text from agent_platform.run
          where id = any(${uuids(ids.filter(isUuid))}) and status in ('queued', 'running')
        `.pipe(mapRows((rows) => new Set(rows.map((row) => row.id))))
    })
  })
)
