import { notify, publish } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { workspaceCapNear, workspaceCapReached } from "../events.ts"
import type { CallOrigin } from "../LedgerEntry.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import type { WorkspaceCap } from "../ports/WorkspaceCaps.ts"

type Call = Pick<CallOrigin, "id" | "organizationId" | "workspaceId" | "runId">

/** Sets a marker of the month. Returns the month, and when, for the first call that does so in it; undefined for all others. */
const markOnce = Effect.fnUntraced(function* (
  kind: "reached" | "near",
  { id: callId, organizationId, workspaceId }: Call,
  { period }: WorkspaceCap,
  capUsd: string
) {
  const ledger = yield* CallLedger
  const at = yield* DateTime.now
  const month = yield* ledger.mark({ kind, organizationId, workspaceId, period, capUsd, callId, at })
  return month && { at, month }
})

/** Publishes the event about the month's spending, and returns the facts in it for a notice. */
const publishCap = Effect.fnUntraced(function* (
  kind: typeof workspaceCapReached | typeof workspaceCapNear,
  { organizationId, runId, workspaceId }: Call,
  { month: name, period }: WorkspaceCap,
  capUsd: string,
  { at, month }: NonNullable<Effect.Success<ReturnType<typeof markOnce>>>
) {
  const facts = {
    period: name,
    period_start: DateTime.formatIso(period.start),
    period_end: DateTime.formatIso(period.end),
    cap_usd: capUsd,
    spent_usd: month.spentUsd,
    reserved_usd: month.reservedUsd,
    run_id: runId
  }
  const data = { ...facts, workspace_id: workspaceId, currency: "USD", reached_at: DateTime.formatIso(at) } as const
  yield* publish(kind, { organizationId, workspaceId }, data)
  return facts
})

/**
 * Marks the cap as reached by this call, in the transaction that reached it. Only the first time in a workspace's month it publishes
 * `workspace.cap_reached` and posts a notice. Spec: Events 5.
 */
export const notifyCapReached = useCase("billing.notifyCapReached")(function* (
  call: Call,
  cap: WorkspaceCap,
  capUsd: string
) {
  const { organizationId, workspaceId } = call
  const marked = yield* markOnce("reached", call, cap, capUsd)
  if (marked === undefined) return
  const facts = yield* publishCap(workspaceCapReached, call, cap, capUsd, marked)
  yield* notify({
    organizationId,
    workspaceId,
    type: "workspace.cap_reached",
    title: "The spend cap is reached",
    body: `The workspace has spent ${facts.spent_usd} of ${capUsd} USD in ${facts.period}. No runs begin until the cap is raised or the month ends.`,
    payload: facts
  })
})

/** Publishes `workspace.cap_near` and posts a notice that four fifths of the cap are spent, the first time in a workspace's month. */
export const notifyCapNear = useCase("billing.notifyCapNear")(function* (
  call: Call,
  cap: WorkspaceCap,
  capUsd: string
) {
  const { organizationId, workspaceId } = call
  const marked = yield* markOnce("near", call, cap, capUsd)
  if (marked === undefined) return
  const { cap_usd, period, run_id, spent_usd } = yield* publishCap(workspaceCapNear, call, cap, capUsd, marked)
  yield* notify({
    organizationId,
    workspaceId,
    type: "workspace.cap_near",
    title: "The spend cap is near",
    body: `The workspace has spent ${spent_usd} of ${capUsd} USD in ${period}.`,
    payload: { period, cap_usd, spent_usd, run_id }
  })
})
