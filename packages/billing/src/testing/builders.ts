import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { DateTime } from "effect"
import { SecureRandom } from "effect/crypto"
import { CallId, type LedgerEntry } from "../LedgerEntry.ts"

const AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** A call that succeeded, by default of a workspace and a run of its own. */
export const aLedgerEntry = (override: Partial<LedgerEntry> = {}): LedgerEntry => ({
  id: anId(CallId),
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  runId: SecureRandom.uuidV7Unsafe(),
  sessionId: SecureRandom.uuidV7Unsafe(),
  agentId: SecureRandom.uuidV7Unsafe(),
  seq: 1,
  attempt: 1,
  provider: "openai",
  requestModel: "gpt-4o-mini",
  responseModel: "gpt-4o-mini-2024-07-18",
  keySource: "platform",
  keyId: null,
  status: "ok",
  errorCode: null,
  finishReason: "stop",
  calledAt: AT,
  startedAt: AT,
  durationMillis: 1_200,
  timeToFirstTokenMillis: 300,
  inputTokens: 1_000,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 100,
  reasoningTokens: 0,
  usageSource: "provider",
  costUsd: "0.00021",
  reservedUsd: "0.001",
  priceVersion: "genai-prices@0.1.8",
  settledAt: AT,
  ...override
})
