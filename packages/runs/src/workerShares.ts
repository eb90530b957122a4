import type { WorkspaceId } from "@agent-platform/kernel"
import type { ClaimedRun, ClaimRequest } from "./ports/RunStore.ts"

/** A workspace may hold this many times the slots that are free. */
const SHARE = 9

/**
 * How many more runs each workspace may have of a worker's slots. A workspace gets more while it holds less than nine times
 * what is free: alone it comes to nine slots in ten, two to nearly all together, and whoever comes next finds room at
 * once, however long the runs of the others last. Below ten slots nothing is kept free.
 */
export const sharesOf = (
  held: ReadonlyMap<WorkspaceId, number>,
  slots: { readonly max: number; readonly free: number }
): Pick<ClaimRequest, "perWorkspace" | "rooms"> => {
  const share = (mine: number) => Math.max(0, Math.ceil((SHARE * slots.free - mine) / (SHARE + 1)))
  const reserves = slots.max > SHARE
  return {
    perWorkspace: Math.max(1, reserves ? share(0) : slots.free),
    rooms: reserves ? new Map([...held].map(([workspaceId, mine]) => [workspaceId, share(mine)])) : new Map()
  }
}

/** Whether a claim with these shares may have left runs behind that go once others have ended. */
export const isShortOfRoom = (
  { perWorkspace, rooms }: Pick<ClaimRequest, "perWorkspace" | "rooms">,
  claimed: ReadonlyArray<ClaimedRun>
): boolean => {
  const taken = Map.groupBy(claimed, ({ run }) => run.workspaceId)
  return (
    [...rooms.values()].some((room) => room <= 0) ||
    [...taken].some(([workspaceId, runs]) => runs.length >= (rooms.get(workspaceId) ?? perWorkspace))
  )
}
