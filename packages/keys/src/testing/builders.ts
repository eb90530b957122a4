import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { DateTime } from "effect"
import { SecureRandom } from "effect/crypto"
import { type ApiKey, ApiKeyId } from "../ApiKey.ts"
import { type Member, MemberId, type User, UserId } from "../Member.ts"
import { WORKSPACE_SCOPES } from "../Scope.ts"
import type { Organization, Workspace } from "../Workspace.ts"

const CREATED_AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** A new organization. */
export const anOrganization = (override: Partial<Organization> = {}): Organization => ({
  id: anId(OrganizationId),
  name: "Acme",
  createdAt: CREATED_AT,
  ...override
})

/** A new workspace in UTC, of an organization of its own by default. */
export const aWorkspace = (override: Partial<Workspace> = {}): Workspace => ({
  id: anId(WorkspaceId),
  organizationId: anId(OrganizationId),
  name: "Production",
  timezone: "UTC",
  nextTimezone: null,
  retentionDays: null,
  monthlyCapUsd: null,
  allowPlatformKeys: false,
  createdAt: CREATED_AT,
  ...override
})

/** An active workspace key with every scope of its kind, in a workspace of its own by default. */
export const anApiKey = (override: Partial<ApiKey> = {}): ApiKey => ({
  id: anId(ApiKeyId),
  kind: "workspace",
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  name: "CI",
  hint: "apk_ws_D3rG…oLaK",
  scopes: WORKSPACE_SCOPES,
  organizationRole: null,
  allowedIps: [],
  rateLimit: null,
  metadata: {},
  disabled: false,
  version: 1,
  createdAt: CREATED_AT,
  createdBy: { type: "user", id: "01a1fd31-ae8a-73b5-8d35-ead780a3b245", label: "a key" },
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  replacedBy: null,
  boundTo: null,
  reads: null,
  ...override
})

/** An e-mail address that no other test uses. */
export const anEmail = (): string => `ada.${anId(UserId)}@example.com`

/** A person for whom an identity provider vouches. */
export const aUser = (override: Partial<User> = {}): User => ({
  id: anId(UserId),
  issuer: "https://accounts.example.com",
  subject: anId(UserId),
  email: anEmail(),
  name: "Ada",
  createdAt: CREATED_AT,
  ...override
})

/** A member invited as admin who has not joined yet, of an organization of its own by default. */
export const aMember = (override: Partial<Member> = {}): Member => ({
  id: anId(MemberId),
  organizationId: anId(OrganizationId),
  email: anEmail(),
  organizationRole: "admin",
  workspaces: [],
  user: null,
  invitedBy: { type: "user", id: "01a1fd31-ae8a-73b5-8d35-ead780a3b245", label: "a key" },
  invitedByKey: null,
  invitedAt: CREATED_AT,
  joinedAt: null,
  ...override
})

/** The stored form of a random value: 64 hexadecimal digits. */
export const aHash = (): string =>
  Array.from(SecureRandom.randomBytesUnsafe(32), (byte) => byte.toString(16).padStart(2, "0")).join("")
