import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { DateTime } from "effect"
import { HostPattern } from "../HostPattern.ts"
import { type ToolSecret, ToolSecretId } from "../ToolSecret.ts"

/** A header for one host with nothing special about it, of a name of its own, in a workspace of its own by default. */
export const aToolSecret = (override: Partial<ToolSecret> = {}): ToolSecret => {
  const id = anId(ToolSecretId)
  return {
    id,
    organizationId: anId(OrganizationId),
    workspaceId: anId(WorkspaceId),
    name: `Orders ${id}`,
    hostPattern: HostPattern.make(`${id}.example.com`),
    header: "authorization",
    oauth: null,
    version: 1,
    createdAt: DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"),
    createdBy: aCaller().actor,
    updatedAt: DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"),
    ...override
  }
}

/** A client whose tokens are sent. */
export const anOAuthClient = (override: Partial<NonNullable<ToolSecret["oauth"]>> = {}) => ({
  tokenUrl: "https://login.example.com/oauth2/token",
  clientId: "agents",
  scope: null,
  authMethod: "client_secret_basic" as const,
  ...override
})
