import { useSyncExternalStore } from "react"

/** How far this browser is with the first steps of a workspace. It is no secret, and outlives the tab: runs do, too. */

/** Not begun, begun, or put away. */
export type Steps = "unseen" | "shown" | "away"

const keyOf = (workspaceId: string) => `agent-platform.first-steps.${workspaceId}`

const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const read = (workspaceId: string): Steps => {
  const stored = localStorage.getItem(keyOf(workspaceId))
  return stored === "shown" || stored === "away" ? stored : "unseen"
}

/** Shows the first steps of the workspace from now on, or puts them away. */
export const storeSteps = (workspaceId: string, steps: Steps): void => {
  localStorage.setItem(keyOf(workspaceId), steps)
  for (const listener of listeners) listener()
}

/** How far this browser is with those of the workspace, as it changes. */
export const useSteps = (workspaceId: string): Steps => useSyncExternalStore(subscribe, () => read(workspaceId))
