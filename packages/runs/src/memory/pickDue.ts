import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { DateTime } from "effect"
import type { ClaimRequest, Turns } from "../ports/RunQueue.ts"
import { isTerminal } from "../Run.ts"
import type { SessionId } from "../Session.ts"
import { isExpired, type RunRow } from "./runRows.ts"

/** The queued runs that may be claimed, by workspace, in the order in which they are to be claimed. */
const dueByWorkspace = (all: ReadonlyArray<RunRow>, now: DateTime.Utc) => {
  // Only the first unfinished run of a session may be claimed.
  const heads = new Map<SessionId, RunRow>()
  for (const row of all) {
    if (isTerminal(row.run)) continue
    const head = heads.get(row.run.sessionId)
    if (head === undefined || row.position < head.position) heads.set(row.run.sessionId, row)
  }
  const due = [...heads.values()].filter(
    ({ run }) =>
      run.status === "queued" &&
      !isExpired(run, now) &&
      (run.runAt === null || DateTime.isLessThanOrEqualTo(run.runAt, now))
  )
  const millis = ({ run }: RunRow) => DateTime.toEpochMillis(run.runAt ?? run.createdAt)
  due.sort(
    (one, two) => two.run.priority - one.run.priority || millis(one) - millis(two) || (one.run.id < two.run.id ? -1 : 1)
  )
  return Map.groupBy(due, ({ run }) => run.workspaceId)
}

/** The ids in the order of one round, which begins after this one and comes back to the first. */
const roundOf = <Id extends string>(ids: Iterable<Id>, after: Id | undefined): ReadonlyArray<Id> => {
  const sorted = [...ids].sort()
  if (after === undefined) return sorted
  return [...sorted.filter((id) => id > after), ...sorted.filter((id) => id <= after)]
}

/**
 * Picks the runs of a claim: one run of each organization in turn, round after round, and inside of an organization one run of each
 * workspace in the same way. `organizationTurn` is the turn of a run's organization in a round, and `organizationRound` the number of
 * that round; `workspaceTurn` and `workspaceRound` are the same of its workspace inside of the organization.
 */
export const pickDue = (
  all: ReadonlyArray<RunRow>,
  { after, max, shares }: ClaimRequest,
  now: DateTime.Utc
): { readonly picked: ReadonlyArray<RunRow>; readonly last: Turns } => {
  const due = dueByWorkspace(all, now)
  const byOrganization = Map.groupBy(due, ([, rows]) => (rows[0] as RunRow).run.organizationId)
  const shareOf = (id: OrganizationId) => shares.organizations.get(id) ?? shares.others
  const runsMax = (id: OrganizationId, workspaceId: WorkspaceId) =>
    shares.workspaces.get(workspaceId) ?? shareOf(id).perWorkspace
  const workspacesOf = (id: OrganizationId) =>
    (byOrganization.get(id) ?? [])
      .map(([workspaceId]) => workspaceId)
      .filter((workspaceId) => runsMax(id, workspaceId) > 0)
  const turn = roundOf(byOrganization.keys(), after.organization)
    .filter((id) => shareOf(id).runs > 0)
    .slice(0, max)
  const ranked = turn.flatMap((id, organizationTurn) => {
    return roundOf(workspacesOf(id), after.workspaces.get(id))
      .flatMap((workspaceId, workspaceTurn) =>
        (due.get(workspaceId) ?? [])
          .slice(0, runsMax(id, workspaceId))
          .map((row, workspaceRound) => ({ row, workspaceRound, workspaceTurn }))
      )
      .sort((one, two) => one.workspaceRound - two.workspaceRound || one.workspaceTurn - two.workspaceTurn)
      .map(({ row, workspaceTurn }, organizationRound) => ({ row, workspaceTurn, organizationRound, organizationTurn }))
      .slice(0, shareOf(id).runs)
  })
  const picked = ranked
    .sort((one, two) => one.organizationRound - two.organizationRound || one.organizationTurn - two.organizationTurn)
    .slice(0, max)
  const last = new Map<OrganizationId, WorkspaceId>()
  for (const [id, mine] of Map.groupBy(picked, ({ row }) => row.run.organizationId)) {
    const served = new Set(mine.map(({ row }) => row.run.workspaceId))
    // Where every workspace had its turn, the next claim begins a new round anywhere.
    const isRoundOver = workspacesOf(id).every((workspaceId) => served.has(workspaceId))
    const [latest] = mine.sort((one, two) => two.workspaceTurn - one.workspaceTurn)
    if (!isRoundOver && latest !== undefined) last.set(id, latest.row.run.workspaceId)
  }
  return {
    picked: picked.map(({ row }) => row),
    last: { organization: turn.at(-1), workspaces: last }
  }
}
