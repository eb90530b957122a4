import { type Erasure, ErasureStore } from "@agent-platform/kernel"
import { Effect } from "effect"
import { integer, json, named, nullable, text, timestamptz, uuid } from "./columnTypes.ts"
import { holdAndCount } from "./holdName.ts"
import { layerSql } from "./layerSql.ts"
import { mapRows } from "./mapRows.ts"
import { group, makeTable, type Row } from "./table.ts"

const erasureTable = makeTable<Erasure>("erasure", {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: nullable(uuid()),
  kind: text(),
  subjectId: named("subject_id", uuid()),
  requestedBy: group("requested_by_", { type: text(), id: text() }),
  state: text(),
  counts: json(),
  turns: integer(),
  createdAt: timestamptz(),
  startedAt: nullable(timestamptz()),
  finishedAt: nullable(timestamptz())
})

const changeable = erasureTable.pick("state", "counts", "turns", "startedAt", "finishedAt")

/** Erasures in the table `erasure`. */
export const layer = layerSql(ErasureStore)((sql) => {
  const columns = sql.literal(erasureTable.selected)
  return {
    holdCount: (organizationId, max) => {
      const unfinished = sql`agent_platform.erasure where organization_id = ${organizationId} and finished_at is null`
      return holdAndCount(sql, `erasure:${organizationId}`, unfinished, max)
    },
    insert: (erasure) =>
      sql`
        insert into agent_platform.erasure (${sql.literal(erasureTable.names)}) ${erasureTable.rowsOf([erasure])}
      `.pipe(Effect.orDie, Effect.asVoid),
    find: (organizationId, id) =>
      sql<Row>`
        select ${columns} from agent_platform.erasure where organization_id = ${organizationId} and id = ${id}
      `.pipe(mapRows(erasureTable.readFirst)),
    findUnfinished: (organizationId, kind, subjectId) =>
      sql<Row>`
        select ${columns} from agent_platform.erasure
        where organization_id = ${organizationId} and kind = ${kind} and subject_id = ${subjectId} and finished_at is null
      `.pipe(mapRows(erasureTable.readFirst)),
    findToChange: (organizationId, id) =>
      sql<Row>`
        select ${columns} from agent_platform.erasure where organization_id = ${organizationId} and id = ${id} for update
      `.pipe(mapRows(erasureTable.readFirst)),
    replace: (erasure) =>
      sql`
        update agent_platform.erasure set ${sql.literal(changeable.assignedFrom("changed"))}
        from (${changeable.rowsOf([erasure])}) as changed
        where erasure.organization_id = ${erasure.organizationId} and erasure.id = ${erasure.id}
      `.pipe(Effect.orDie, Effect.asVoid)
  }
})
