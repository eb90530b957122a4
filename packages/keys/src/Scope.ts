import { Schema } from "effect"

/** The scopes that a key may have inside a workspace. */
export const WORKSPACE_SCOPES = [
  "runs:read",
  "runs:write",
  "agents:read",
  "agents:write",
  "schedules:read",
  "schedules:write",
  "keys:read",
  "keys:write",
  "byok:read",
  "byok:write",
  "tool_secrets:read",
  "tool_secrets:write",
  "analytics:read",
  "feeds:read",
  "feeds:write"
] as const

/** The scopes that only organization keys may have. */
export const ORGANIZATION_SCOPES = ["webhooks:read", "webhooks:write", "org:admin"] as const

/**
 * Scopes that a key of either kind gets only when a maker who has them names them. No key gets them by default, and of people
 * only owners have them. What they allow cannot be undone.
 */
export const NAMED_SCOPES = ["data:erase"] as const

/** One permission on the platform, as its keys and its people have them. */
export const Scope = Schema.Literals([...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES, ...NAMED_SCOPES])
export type Scope = typeof Scope.Type

const isScope = Schema.is(Scope)

/** Those of the scopes that the platform knows. */
export const platformScopes = (scopes: ReadonlyArray<string>): ReadonlyArray<Scope> => scopes.filter(isScope)
