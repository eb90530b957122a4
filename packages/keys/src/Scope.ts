import { Schema } from "effect"

/** The scopes that a key may have inside a workspace. */
export const WORKSPACE_SCOPES = [
  "runs:read",
  "runs:write",
  "agents:read",
  "agents:write",
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

/** The further scopes of organization keys alone. */
export const ORGANIZATION_SCOPES = ["webhooks:read", "webhooks:write", "org:admin"] as const

/**
 * The scopes that a key of either kind has only where somebody who has them named them for it: no key is given them by default, and
 * of people only an owner has them. What they allow cannot be undone.
 */
export const NAMED_SCOPES = ["data:erase"] as const

/** One permission on the platform, as its keys and its people have them. */
export const Scope = Schema.Literals([...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES, ...NAMED_SCOPES])
export type Scope = typeof Scope.Type

const isScope = Schema.is(Scope)

/** Those that the platform knows. */
export const platformScopes = (scopes: ReadonlyArray<string>): ReadonlyArray<Scope> => scopes.filter(isScope)
