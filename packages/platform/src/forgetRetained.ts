import type { WorkspaceId } from "@agent-platform/kernel"
import { TenancyStore } from "@agent-platform/keys"
import { forgetRuns } from "@agent-platform/runs"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { eraseAll } from "./erasure/erasers.ts"

/** How many workspaces are read at a time. */
const PAGE = 100

/** Required by `eraseAll`; it has no effect, because resources are erased whole, in one transaction. */
const ROWS_MAX = 1_000

/**
 * Forgets the sessions of workspaces that have a retention of their own, once their last run ended that many days ago, with what other
 * domains keep of their runs: events and deliveries, entries in the feeds, links of the ledger. Goes on after the workspace `after`.
 * Safe to do at any time, twice and at once.
 */
export const forgetRetained = useCase("platform.forgetRetained")(function* (options: {
  readonly after: WorkspaceId | undefined
  readonly onWorkspace: (after: WorkspaceId, runs: number) => Effect.Effect<void>
}) {
  const tenancy = yield* TenancyStore
  let { after } = options
  let [runs, workspaces] = [0, 0]
  while (true) {
    const page = yield* tenancy.withRetention(after, PAGE)
    for (const { id: workspaceId, organizationId, retentionDays } of page) {
      const forgotten = yield* forgetRuns({
        // Never null for the workspaces of `withRetention`.
        days: retentionDays ?? Number.POSITIVE_INFINITY,
        after: undefined,
        workspaceId,
        forgetBelongings: (ids) =>
          Effect.asVoid(eraseAll({ _tag: "Resources", organizationId, workspaceId, ids }, ROWS_MAX)),
        onPortion: () => Effect.void
      })
      runs += forgotten.runs
      workspaces++
      after = workspaceId
      yield* options.onWorkspace(after, runs)
    }
    if (page.length < PAGE) return { runs, workspaces }
  }
})
