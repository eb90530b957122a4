/** The places that the navigation leads to, in its order. A screen that is added has its line here. */
import type { Scope } from "../session/Session.ts"
import type { IconName } from "../ui/Icon.tsx"

export interface Place {
  readonly to: "/runs" | "/sessions" | "/usage" | "/activity"
  readonly label: string
  readonly icon: IconName
  /** The second key after `g`. */
  readonly key: string
  /** The right that one needs to see it. */
  readonly scope: Scope
}

export const PLACES: ReadonlyArray<Place> = [
  { to: "/runs", label: "Runs", icon: "runs", key: "r", scope: "runs:read" },
  { to: "/sessions", label: "Sessions", icon: "chat", key: "s", scope: "runs:read" },
  { to: "/usage", label: "Usage", icon: "chart", key: "u", scope: "analytics:read" },
  { to: "/activity", label: "Activity", icon: "activity", key: "a", scope: "feeds:read" }
]
