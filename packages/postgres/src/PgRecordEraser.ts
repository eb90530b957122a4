import { RecordEraser } from "@agent-platform/kernel"
import { texts } from "./columns.ts"
import { eraserOf } from "./erasing.ts"
import { layerSql } from "./layerSql.ts"

/** The eraser of idempotency keys in the table `idempotency_key`. */
export const layer = layerSql(RecordEraser)((sql) =>
  eraserOf(sql, [
    {
      kind: "idempotency_keys",
      table: "idempotency_key",
      key: ["scope", "route", "key"],
      where: (what) => {
        switch (what._tag) {
          case "Resources":
            return sql`resource_id = any(${texts(what.ids)})`
          case "Tenant":
            return sql`scope = ${what.workspaceId ?? what.organizationId}`
          case "Person":
            return undefined
        }
      }
    }
  ])
)
