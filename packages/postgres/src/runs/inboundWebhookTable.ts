import type { InboundWebhook } from "@agent-platform/runs"
import { json, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { makeTable } from "../table.ts"

/** Inbound webhooks of agents. */
export const inboundWebhookTable = makeTable<InboundWebhook>("agent_webhook", {
  agentId: uuid(),
  organizationId: uuid(),
  workspaceId: uuid(),
  tokenHash: text(),
  verification: text(),
  sealedSecret: nullable(text()),
  map: json(),
  createdAt: timestamptz(),
  lastReceivedAt: nullable(timestamptz()),
  deletedAt: nullable(timestamptz())
})
