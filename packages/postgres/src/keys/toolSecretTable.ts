import type { SealedToolSecret, ToolSecret } from "@agent-platform/keys"
import { integer, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { group, makeTable, nullableGroup, type Row } from "../table.ts"

/** Secrets of tools, without their values. */
export const toolSecretTable = makeTable<ToolSecret>("tool_secret", {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: uuid(),
  name: text(),
  hostPattern: text(),
  header: text(),
  oauth: nullableGroup("oauth_", {
    tokenUrl: text(),
    clientId: text(),
    scope: nullable(text()),
    authMethod: text()
  }),
  version: integer(),
  createdAt: timestamptz(),
  createdBy: group("created_by_", { type: text(), id: text(), label: text() }),
  updatedAt: timestamptz()
})

/** The same with their values. */
export const sealedSecretTable = toolSecretTable.with<{ readonly sealed: string }>({ sealed: text() })

/** The secrets in rows with their values. */
export const readSealedSecrets = (rows: ReadonlyArray<Row>): ReadonlyArray<SealedToolSecret> =>
  sealedSecretTable.readAll(rows).map(({ sealed, ...secret }) => ({ secret, sealed }))
