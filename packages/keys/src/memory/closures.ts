import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import type { KeptTenant } from "../ports/KeyEraser.ts"

/** The organizations and workspaces of a `MemoryDatabase` that are being erased or were erased, by their ids. */
export const closures = (database: MemoryDatabase["Service"]) => {
  const table = database.table<KeptTenant>("tenant_closure")
  const isClosed = (id: string | null) =>
    id === null ? Effect.succeed(false) : Effect.map(table.get(id), (closure) => closure !== undefined)
  return {
    ...table,
    isClosed,
    /** The rows of organizations or workspaces that are not closed. */
    open: <Row extends { readonly id: string }>(rows: ReadonlyArray<Row>) =>
      Effect.filter(rows, ({ id }) => Effect.map(isClosed(id), (closed) => !closed))
  }
}
