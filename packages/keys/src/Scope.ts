import { Schema } from "effect"

/** What a key may do inside a workspace. */
export const WORKSPACE_SCOPES = [
  "runs:read",
  "runs:write",
  "agents:read",
  "agents:write",
  "keys:read",
  "keys:write",
  "byok:read",
  "byok:write",
  "analytics:read",
  "feeds:read",
  "feeds:write"
] as const

/** What only an organization key may do beyond that. */
export const ORGANIZATION_SCOPES = ["webhooks:read", "webhooks:write", "org:admin"] as const

/** One permission of a key. */
export const Scope = Schema.Literals([...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES])
export type Scope = typeof Scope.Type
