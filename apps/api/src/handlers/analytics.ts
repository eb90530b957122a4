import { Analytics, HOURS_MAX, RANGE_DAYS_MAX, type RangeRefused, type UsageFilter } from "@agent-platform/billing"
import { Api } from "@agent-platform/contract"
import { parseId } from "@agent-platform/kernel"
import { AgentId, RunId } from "@agent-platform/runs"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { invalid, notFound } from "../edge/problems.ts"
import { idOf } from "../ids.ts"
import { billingMonthView, runCostsView, runRequestView, usageView } from "../views/analyticsViews.ts"

const REQUESTS = "GET /api/v1/analytics/runs/{run_id}/requests"

interface FilterQuery {
  readonly agent_id?: string
  readonly model?: string
  readonly provider?: string
}

/** An id that no agent has. */
const NOBODY = AgentId.make("00000000-0000-0000-0000-000000000000")

/** An id that is not well formed has used nothing, as an unknown one has not. */
const filterOf = ({ agent_id, model, provider }: FilterQuery): UsageFilter => ({
  agentId: agent_id === undefined ? undefined : (parseId(AgentId, agent_id) ?? NOBODY),
  model,
  provider
})

const refused =
  (longest: string) =>
  ({ parameter, reason }: RangeRefused) => {
    const details = {
      not_whole_hour: "must be a full hour, in UTC or in the workspace's time zone",
      empty: "must be later than since",
      too_long: `must be at most ${longest} before until`
    }
    return invalid(`?${parameter}`, details[reason])
  }

/** Handlers of usage and costs. */
export const layerAnalytics = HttpApiBuilder.group(
  Api,
  "analytics",
  Effect.fnUntraced(function* (handlers) {
    const analytics = yield* Analytics
    const cursors = yield* makeCursors
    return handlers.handleAll({
      readUsage: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* workspaceCaller
        const { group_by: groupBy, since, until } = query
        const read = yield* analytics
          .readUsage({ caller, since, until, filter: filterOf(query), groupBy })
          .pipe(Effect.catchTag("RangeRefused", refused(`${RANGE_DAYS_MAX} days`)))
        return usageView(caller.workspaceId, read)
      }),

      readHourlyUsage: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* workspaceCaller
        const { since, until } = query
        return yield* analytics
          .readHourlyUsage({ caller, since, until, filter: filterOf(query) })
          .pipe(Effect.catchTag("RangeRefused", refused(`${HOURS_MAX} hours`)))
      }),

      readBillingMonth: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* workspaceCaller
        return billingMonthView(yield* analytics.readBillingMonth({ caller, month: query.month }))
      }),

      readRunCosts: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const runId = yield* idOf(RunId, params.run_id)
        const costs = yield* analytics
          .readRunCosts({ caller, runId })
          .pipe(Effect.catchTag("BilledRunNotFound", notFound))
        return runCostsView(runId, costs)
      }),

      listRunRequests: Effect.fnUntraced(function* ({ params, query }) {
        const caller = yield* workspaceCaller
        const runId = yield* idOf(RunId, params.run_id)
        const scope = { route: REQUESTS, owner: caller.workspaceId, filters: { run_id: runId } }
        const page = yield* cursors
          .page(scope, query, (page) => analytics.listRunRequests({ caller, runId, page }), runRequestView)
          .pipe(Effect.catchTag("BilledRunNotFound", notFound))
        return { runId, ...page }
      })
    })
  })
)
