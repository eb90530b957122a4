import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { capStatus } from "../Cap.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import { WorkspaceCaps } from "../ports/WorkspaceCaps.ts"

/** The workspace's spending and reservations in the month that begins at `start`; undefined where it has none. */
export const readMonth = useCase("billing.readMonth")(function* (workspaceId: WorkspaceId, start: DateTime.Utc) {
  const ledger = yield* CallLedger
  return yield* ledger.month(workspaceId, start)
})

/**
 * Whether the workspace may begin runs: its cap of the month is not reached, or was raised since. One read where there is no
 * cap, two where there is one.
 */
export const mayBeginRuns = useCase("billing.mayBeginRuns")(function* (
  organizationId: OrganizationId,
  workspaceId: WorkspaceId
) {
  const caps = yield* WorkspaceCaps
  const ledger = yield* CallLedger
  const { monthlyCapUsd, period } = yield* caps.read(organizationId, workspaceId, yield* DateTime.now)
  if (monthlyCapUsd === null) return true
  return capStatus(yield* ledger.month(workspaceId, period.start), monthlyCapUsd) !== "reached"
})
