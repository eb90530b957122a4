import type { Run } from "@agent-platform/runs"
import {
  bigint,
  boolean,
  double,
  integer,
  json,
  money,
  nullable,
  text,
  texts,
  timestamptz,
  uuid
} from "../columnTypes.ts"
import { group, makeTable } from "../table.ts"

/** Runs. The table has more columns, for their claims, their logs and their places in line. */
export const runTable = makeTable<Run>("run", {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: uuid(),
  sessionId: uuid(),
  agentId: uuid(),
  agentVersion: nullable(integer()),
  model: nullable(text()),
  recipe: text(),
  status: text(),
  paused: boolean(),
  prompt: nullable(text()),
  input: json(),
  message: nullable(text()),
  interrupt: json(),
  interruptTruncated: boolean(),
  result: json(),
  error: nullable(text()),
  errorCode: nullable(text()),
  attempt: integer(),
  maxAttempts: integer(),
  maxDurationSeconds: double(),
  maxCostUsd: nullable(money()),
  priority: integer(),
  trigger: group("trigger_", { type: text(), id: nullable(text()) }),
  resumesRunId: nullable(uuid()),
  resumedByRunId: nullable(uuid()),
  questionCancelledAt: nullable(timestamptz()),
  createdAt: timestamptz(),
  runAt: nullable(timestamptz()),
  expiresAt: nullable(timestamptz()),
  startedAt: nullable(timestamptz()),
  finishedAt: nullable(timestamptz()),
  cancelRequestedAt: nullable(timestamptz()),
  costUsd: money(),
  usage: group("", {
    requests: integer(),
    inputTokens: bigint(),
    cacheReadTokens: bigint(),
    cacheWriteTokens: bigint(),
    outputTokens: bigint(),
    reasoningTokens: bigint()
  }),
  metadata: json(),
  tags: texts(),
  trace: nullable(text())
})
