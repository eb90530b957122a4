import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { ClaimedRun, Share, Shares, Turns } from "../ports/RunQueue.ts"

/** Nobody may hold more than this many times the slots that are free. */
const SHARE = 9

type Owner = Pick<ClaimedRun["run"], "organizationId" | "workspaceId">

/** How many more slots a holder of `held` may take while `free` are free: until `held` is nine times what stays free. */
const more = (held: number, free: number): number => Math.max(0, Math.ceil((SHARE * free - held) / (SHARE + 1)))

const shareOf = (held: number, free: number): Share => {
  const runs = more(held, free)
  return { runs, perWorkspace: more(0, runs) }
}

const counted = <Id>(ids: ReadonlyArray<Id>): ReadonlyMap<Id, number> =>
  new Map([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]))

/**
 * How many more runs a worker may claim beside these. An organization gets more while it holds less than nine times the free
 * slots, and a workspace while it holds less than nine times its organization's remainder. One organization alone comes to
 * nine slots in ten and one of its workspaces to eight, so that the run of another finds a slot at once, however long the
 * others last. Below ten slots nothing is kept free.
 */
export const sharesOf = (
  held: ReadonlyArray<Owner>,
  slots: { readonly max: number; readonly free: number }
): Shares => {
  const { free, max } = slots
  if (max <= SHARE) {
    return { organizations: new Map(), others: { runs: free, perWorkspace: free }, workspaces: new Map() }
  }
  const byOrganization = counted(held.map(({ organizationId }) => organizationId))
  const byWorkspace = counted(held.map(({ workspaceId }) => workspaceId))
  const organizations = new Map([...byOrganization].map(([id, count]) => [id, shareOf(count, free)]))
  const workspaces = new Map(
    held.map(({ organizationId, workspaceId }) => [
      workspaceId,
      more(byWorkspace.get(workspaceId) ?? 0, organizations.get(organizationId)?.runs ?? 0)
    ])
  )
  return { organizations, others: shareOf(0, free), workspaces }
}

/** Whether a claim with these shares may have left due runs in the queue because a share was used up. */
export const hasUsedUp = (
  { organizations, others, workspaces }: Shares,
  claimed: ReadonlyArray<Pick<ClaimedRun, "run">>
): boolean => {
  const byOrganization = counted(claimed.map(({ run }) => run.organizationId))
  const byWorkspace = counted(claimed.map(({ run }) => run.workspaceId))
  const shareOfWorkspace = ({ organizationId, workspaceId }: Owner) =>
    workspaces.get(workspaceId) ?? (organizations.get(organizationId) ?? others).perWorkspace
  return (
    [...organizations.values()].some(({ runs }) => runs <= 0) ||
    [...workspaces.values()].some((runs) => runs <= 0) ||
    [...byOrganization].some(([id, count]) => count >= (organizations.get(id) ?? others).runs) ||
    claimed.some(({ run }) => (byWorkspace.get(run.workspaceId) ?? 0) >= shareOfWorkspace(run))
  )
}

/** Most organizations whose round of workspaces is remembered; for others it begins anew. */
const TURNS_MAX = 1_000

/** The turns that the next claim goes on with, after a claim that began with `earlier` and ended with `last`. */
export const turnsAfter = (earlier: Turns, claimed: ReadonlyArray<Pick<ClaimedRun, "run">>, last: Turns): Turns => {
  const workspaces = new Map<OrganizationId, WorkspaceId>(earlier.workspaces)
  for (const { run } of claimed) workspaces.delete(run.organizationId)
  for (const [organizationId, workspaceId] of last.workspaces) workspaces.set(organizationId, workspaceId)
  return {
    organization: last.organization ?? earlier.organization,
    workspaces: new Map([...workspaces].slice(-TURNS_MAX))
  }
}

/** The turns of the first claim. */
export const NO_TURNS: Turns = { organization: undefined, workspaces: new Map() }
