import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { RunContentStore } from "../ports/RunContentStore.ts"
import type { Run } from "../Run.ts"
import type { ContentPart } from "../RunContent.ts"
import { jsonBytes } from "../utf8.ts"

/** The name of the table. */
export const RUN_CONTENT = "run_content"

/** The content of a run as memory keeps it. */
interface ContentRow {
  readonly run: Pick<Run, "id" | "workspaceId">
  readonly parts: ReadonlyArray<ContentPart>
}

/** The content beside messages, over a `MemoryDatabase`. */
export const layerRunContentStore = layerMemory(RunContentStore)((database) => {
  const table = database.table<ContentRow>(RUN_CONTENT)
  const found = <A>(workspaceId: Run["workspaceId"], ids: ReadonlyArray<Run["id"]>, read: (row: ContentRow) => A) =>
    Effect.map(
      Effect.forEach(ids, (id) => table.get(id)),
      (rows) =>
        new Map(rows.flatMap((row) => (row?.run.workspaceId === workspaceId ? [[row.run.id, read(row)] as const] : [])))
    )
  return {
    insert: (run, parts) => table.put(run.id, { run, parts }),
    sizes: (workspaceId, ids) => found(workspaceId, ids, ({ parts }) => jsonBytes(parts)),
    load: (workspaceId, ids) => found(workspaceId, ids, ({ parts }) => parts)
  }
})
