/** The places that the navigation leads to, in its order. A screen that is added has its line here. */
import type { Scope, Session } from "../session/Session.ts"
import type { IconName } from "../ui/Icon.tsx"

export interface Place {
  readonly to:
    | "/runs"
    | "/sessions"
    | "/usage"
    | "/activity"
    | "/agents"
    | "/keys"
    | "/webhooks"
    | "/schedules"
    | "/organization"
  readonly label: string
  readonly icon: IconName
  /** The second key after `g`. */
  readonly key: string
  /** The right that one needs to see it. */
  readonly scope: Scope
  /** The right that a person needs instead: only keys operate webhooks, and the page of an owner or admin makes itself a webhook grant. */
  readonly scopeOfPeople?: Scope
}

const PLACES: ReadonlyArray<Place> = [
  { to: "/runs", label: "Runs", icon: "runs", key: "r", scope: "runs:read" },
  { to: "/sessions", label: "Sessions", icon: "chat", key: "s", scope: "runs:read" },
  { to: "/usage", label: "Usage", icon: "chart", key: "u", scope: "analytics:read" },
  { to: "/agents", label: "Agents", icon: "agent", key: "a", scope: "agents:read" },
  { to: "/schedules", label: "Schedules", icon: "clock", key: "c", scope: "schedules:read" },
  { to: "/keys", label: "Keys", icon: "key", key: "k", scope: "keys:read" },
  { to: "/webhooks", label: "Webhooks", icon: "hook", key: "w", scope: "webhooks:read", scopeOfPeople: "org:admin" },
  { to: "/activity", label: "Activity", icon: "activity", key: "h", scope: "feeds:read" },
  { to: "/organization", label: "Organization", icon: "people", key: "o", scope: "org:admin" }
]

/** The places that somebody may go to. */
export const placesOf = ({ can, me }: Session): ReadonlyArray<Place> =>
  PLACES.filter(
    ({ scope, scopeOfPeople = scope }) => can(scope) || (me.auth.method === "oauth_session" && can(scopeOfPeople))
  )
