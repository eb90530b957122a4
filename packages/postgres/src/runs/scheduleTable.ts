import type { Schedule } from "@agent-platform/runs"
import { boolean, integer, json, nullable, text, texts, timestamptz, uuid } from "../columnTypes.ts"
import { makeTable, nullableGroup } from "../table.ts"

/** Schedules. */
export const scheduleTable = makeTable<Schedule>("schedule", {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: uuid(),
  agentId: uuid(),
  name: nullable(text()),
  cron: text(),
  timezone: text(),
  prompt: nullable(text()),
  input: json(),
  metadata: json(),
  tags: texts(),
  missed: text(),
  enabled: boolean(),
  nextRunAt: nullable(timestamptz()),
  settledUntil: nullable(timestamptz()),
  lastRunId: nullable(uuid()),
  lastRunAt: nullable(timestamptz()),
  lastError: nullableGroup("last_error_", { code: text(), detail: text(), dueAt: timestamptz() }),
  version: integer(),
  createdAt: timestamptz(),
  updatedAt: timestamptz()
})
