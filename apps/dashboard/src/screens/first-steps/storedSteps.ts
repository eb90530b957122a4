/** How far this browser is with the first steps of a workspace. It is no secret, and outlives the tab: runs do, too. */

/** Not begun, begun, or put away for good. */
export type Steps = "unseen" | "shown" | "away"

const keyOf = (workspaceId: string) => `agent-platform.first-steps.${workspaceId}`

export const storedSteps = {
  read: (workspaceId: string): Steps => {
    const stored = localStorage.getItem(keyOf(workspaceId))
    return stored === "shown" || stored === "away" ? stored : "unseen"
  },
  write: (workspaceId: string, steps: Steps) => localStorage.setItem(keyOf(workspaceId), steps)
}
