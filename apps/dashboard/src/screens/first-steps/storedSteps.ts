import { useMemo, useSyncExternalStore } from "react"

/** How far this browser is with the first steps of a workspace. It is no secret, and outlives the tab: runs do, too. */

/** Not begun, begun, or put away. */
export type Steps = "unseen" | "shown" | "away"

/** The steps that have to be noted once they are done; the list of runs itself tells of a first run. */
export type DoneStep = "webhook" | "failure"

const keyOf = (workspaceId: string) => `agent-platform.first-steps.${workspaceId}`

const doneKeyOf = (workspaceId: string) => `${keyOf(workspaceId)}.done`

const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const read = (workspaceId: string): Steps => {
  const stored = localStorage.getItem(keyOf(workspaceId))
  return stored === "shown" || stored === "away" ? stored : "unseen"
}

const readDone = (workspaceId: string): string => localStorage.getItem(doneKeyOf(workspaceId)) ?? ""

const store = (key: string, value: string): void => {
  localStorage.setItem(key, value)
  for (const listener of listeners) listener()
}

/** Shows the first steps of the workspace from now on, or puts them away. */
export const storeSteps = (workspaceId: string, steps: Steps): void => store(keyOf(workspaceId), steps)

/** How far this browser is with those of the workspace, as it changes. */
export const useSteps = (workspaceId: string): Steps => useSyncExternalStore(subscribe, () => read(workspaceId))

/** Notes that a step is done. */
export const storeDone = (workspaceId: string, step: DoneStep): void => {
  const done = new Set(readDone(workspaceId).split(" "))
  if (!done.has(step)) store(doneKeyOf(workspaceId), [...done, step].join(" ").trim())
}

/** The steps that are done. */
export const useDone = (workspaceId: string): ReadonlySet<string> => {
  const done = useSyncExternalStore(subscribe, () => readDone(workspaceId))
  return useMemo(() => new Set(done.split(" ")), [done])
}
