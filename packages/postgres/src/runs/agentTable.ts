import type { Agent } from "@agent-platform/runs"
import { integer, json, money, named, nullable, text, texts, timestamptz, uuid } from "../columnTypes.ts"
import { makeTable, nullableGroup } from "../table.ts"

/** Agents. */
export const agentTable = makeTable<Agent>("agent", {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: uuid(),
  name: text(),
  description: nullable(text()),
  recipe: text(),
  recipes: texts(),
  model: nullable(text()),
  instructions: nullable(text()),
  tools: texts(),
  mcpServers: json(),
  endpoint: nullableGroup("", {
    url: named("endpoint_url", text()),
    sealedSecret: named("sealed_endpoint_secret", text()),
    retiring: nullableGroup("", {
      sealed: named("sealed_retiring_endpoint_secret", text()),
      expiresAt: named("retiring_endpoint_secret_until", timestamptz())
    })
  }),
  modelSettings: json(),
  functionTools: json(),
  approvals: texts(),
  overridable: texts(),
  maxCostUsd: nullable(money()),
  inputSchema: json(),
  version: integer(),
  createdAt: timestamptz(),
  updatedAt: timestamptz(),
  archivedAt: nullable(timestamptz())
})
