/** The filters of the record of actions; each is part of the address. */
import type { ActivityEntry } from "@agent-platform/client"
import type { ActivityFilters } from "../../api/feeds.ts"

export const RESOURCES = [
  "agent",
  "api_key",
  "byok_key",
  "login",
  "login_session",
  "member",
  "organization",
  "price",
  "run",
  "schedule",
  "session",
  "template",
  "tool_secret",
  "usage",
  "webhook_endpoint",
  "workspace"
] as const

export const ACTORS = ["user", "agent", "system"] as const

export const SPANS = ["1d", "7d", "30d"] as const

/** How the address says what is shown. */
export interface ActivitySearch {
  readonly resource?: (typeof RESOURCES)[number] | undefined
  readonly actor?: (typeof ACTORS)[number] | undefined
  readonly span?: (typeof SPANS)[number] | undefined
  /** The id of the resource that it was done to. */
  readonly about?: string | undefined
  /** The entry that is looked at closely. */
  readonly entry?: string | undefined
}

const ACTOR_WORDS: Readonly<Record<ActivityEntry["actor_type"], string>> = {
  user: "Person or key",
  agent: "Agent",
  system: "Platform"
}

export const actorWord = (actor: ActivityEntry["actor_type"]): string => ACTOR_WORDS[actor]

/** `api_key` as `Api key`. */
export const resourceWord = (resource: string): string => {
  const words = resource.replaceAll("_", " ")
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const DAY_MILLIS = 86_400_000

/** The filters as the API takes them, at this time. */
export const filtersOf = ({ about, actor, resource, span }: ActivitySearch, now: number): ActivityFilters => ({
  actor_type: actor,
  resource_type: resource,
  resource_id: about,
  since: span && new Date(now - Number.parseInt(span, 10) * DAY_MILLIS).toISOString()
})
