import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { DateTime } from "effect"
import { type ProviderKey, ProviderKeyId } from "../ProviderKey.ts"

/** An active key for OpenAI with nothing special about it, in a workspace of its own by default. */
export const aProviderKey = (override: Partial<ProviderKey> = {}): ProviderKey => ({
  id: anId(ProviderKeyId),
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  provider: "openai",
  name: "Production",
  hint: "sk-p…4fQA",
  fingerprint: "0123456789abcdef",
  status: "active",
  limitedUntil: null,
  priority: 100,
  fallback: "none",
  allowedModels: null,
  baseUrl: null,
  version: 1,
  createdAt: DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"),
  createdBy: aCaller().actor,
  lastUsedAt: null,
  lastValidatedAt: null,
  lastError: null,
  revokedAt: null,
  ...override
})
