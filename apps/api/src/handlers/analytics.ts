import {
  Analytics,
  HOURS_MAX,
  isCellDimension,
  LABELLED_REQUESTS_MAX,
  ORGANIZATION_HOURS_MAX,
  RANGE_DAYS_MAX,
  type RangeRefused,
  type UsageDimension,
  type UsageFilter
} from "@agent-platform/billing"
import { Api, CurrentCaller, readings } from "@agent-platform/contract"
import { type OrganizationCaller, parseId } from "@agent-platform/kernel"
import { AgentId, RunId } from "@agent-platform/runs"
import { DateTime, Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { preferred } from "../edge/accept.ts"
import { invalid, notFound } from "../edge/problems.ts"
import { idOf } from "../ids.ts"
import { busyReading, makeTurns } from "../turns.ts"
import {
  billingMonthView,
  hourlyUsageView,
  organizationBillingMonthView,
  organizationUsageView,
  runCostsView,
  runRequestView,
  usageView
} from "../views/analyticsViews.ts"
import { readingCsv } from "../views/readingCsv.ts"

const REQUESTS = "GET /api/v1/analytics/runs/{run_id}/requests"

interface FilterQuery {
  readonly agent_id?: string
  readonly model?: string
  readonly provider?: string
}

/** An id that no agent has. */
const NOBODY = AgentId.make("00000000-0000-0000-0000-000000000000")

/** The filter of a query. A malformed agent id finds nothing, like an unknown one. */
const filterOf = ({ agent_id, model, provider }: FilterQuery): UsageFilter => ({
  agentId: agent_id === undefined ? undefined : (parseId(AgentId, agent_id) ?? NOBODY),
  model,
  provider
})

const rangeProblem =
  (longest: string, clock = "in UTC or in the workspace's time zone") =>
  ({ parameter, reason }: RangeRefused) => {
    const details = {
      not_whole_hour: `must be a full hour, ${clock}`,
      empty: "must be later than since",
      too_long: `must be at most ${longest} before until`,
      too_many_requests: `must lie closer to until: by tags or metadata a time may have at most ${LABELLED_REQUESTS_MAX} requests`
    }
    return invalid(`?${parameter}`, details[reason])
  }

const UTC = "in UTC"

/** The day of a time, for the name of a file. */
const dayOf = (at: DateTime.Utc): string => DateTime.formatIso(at).slice(0, 10)

/** The reading as JSON, or as a table where the caller prefers that. */
const answered = <View>(
  { headers }: HttpServerRequest.HttpServerRequest,
  view: View,
  file: string,
  table: (view: View) => string
): View | HttpServerResponse.HttpServerResponse =>
  preferred(headers["accept"], readings.READING_FORMATS) === "text/csv"
    ? HttpServerResponse.text(table(view), {
        contentType: "text/csv; charset=utf-8; header=present",
        headers: { "content-disposition": `attachment; filename="${file}.csv"` }
      })
    : view

/** Those of the dimensions that roll-ups keep. For bills the contract admits no others: the filter says so to the types. */
const cellsAmong = (dimensions: ReadonlyArray<UsageDimension> = []) => dimensions.filter(isCellDimension)

/** Handlers of usage and costs. */
export const layerAnalytics = HttpApiBuilder.group(
  Api,
  "analytics",
  Effect.fnUntraced(function* (handlers) {
    const analytics = yield* Analytics
    const cursors = yield* makeCursors
    const takeTurn = yield* makeTurns({ max: 1, perOrganization: 1, refused: busyReading })
    const takeOrganizationTurn = yield* makeTurns({ max: 2, perOrganization: 1, refused: busyReading })
    /** Has readings by what roll-ups do not keep wait for each other, because they go through the ledger itself. */
    const inTurn = Effect.fnUntraced(function* (caller: OrganizationCaller, groupBy: ReadonlyArray<UsageDimension>) {
      if (!groupBy.every(isCellDimension)) yield* takeTurn(caller)
    })
    return handlers.handleAll({
      readUsage: Effect.fnUntraced(function* ({ query, request }) {
        const of = yield* workspaceCaller
        const { group_by: groupBy = [], since, until } = query
        yield* inTurn(of, groupBy)
        const read = yield* analytics
          .readUsage({ of, since, until, filter: filterOf(query), groupBy })
          .pipe(Effect.catchTag("RangeRefused", rangeProblem(`${RANGE_DAYS_MAX} days`)))
        const file = `usage_${dayOf(read.since)}_${dayOf(read.until)}`
        return answered(request, usageView(of.workspaceId, read), file, (view) => readingCsv.usage(view, groupBy))
      }),

      readHourlyUsage: Effect.fnUntraced(function* ({ query, request }) {
        const of = yield* workspaceCaller
        const { since, until } = query
        const read = yield* analytics
          .readHourlyUsage({ of, since, until, filter: filterOf(query) })
          .pipe(Effect.catchTag("RangeRefused", rangeProblem(`${HOURS_MAX} hours`)))
        return answered(request, hourlyUsageView(read), `hourly_${dayOf(read.asOf)}`, readingCsv.hourly)
      }),

      readBillingMonth: Effect.fnUntraced(function* ({ query, request }) {
        const of = yield* workspaceCaller
        const groupBy = cellsAmong(query.group_by)
        const read = yield* analytics.readBillingMonth({ of, month: query.month, groupBy })
        return answered(request, billingMonthView(read), `billing_${read.month}`, (view) =>
          readingCsv.billing(view, groupBy)
        )
      }),

      readOrganizationUsage: Effect.fnUntraced(function* ({ query, request }) {
        const caller = yield* CurrentCaller
        const { organizationId } = caller
        const { group_by: groupBy = [], since, until } = query
        yield* takeOrganizationTurn(caller)
        yield* inTurn(caller, groupBy)
        const of = { organizationId, workspaceId: undefined }
        const read = yield* analytics
          .readUsage({ of, since, until, filter: filterOf(query), groupBy })
          .pipe(Effect.catchTag("RangeRefused", rangeProblem(`${RANGE_DAYS_MAX} days`, UTC)))
        const file = `organization_usage_${dayOf(read.since)}_${dayOf(read.until)}`
        return answered(request, organizationUsageView(organizationId, read), file, (view) =>
          readingCsv.organizationUsage(view, groupBy)
        )
      }),

      readOrganizationHourlyUsage: Effect.fnUntraced(function* ({ query, request }) {
        const caller = yield* CurrentCaller
        const { organizationId } = caller
        yield* takeOrganizationTurn(caller)
        const { since, until } = query
        const of = { organizationId, workspaceId: undefined }
        const read = yield* analytics
          .readHourlyUsage({ of, since, until, filter: filterOf(query) })
          .pipe(Effect.catchTag("RangeRefused", rangeProblem(`${ORGANIZATION_HOURS_MAX} hours`, UTC)))
        const file = `organization_hourly_${dayOf(read.asOf)}`
        return answered(request, hourlyUsageView(read), file, readingCsv.hourly)
      }),

      readOrganizationBillingMonth: Effect.fnUntraced(function* ({ query, request }) {
        const caller = yield* CurrentCaller
        const { organizationId } = caller
        yield* takeOrganizationTurn(caller)
        const groupBy = cellsAmong(query.group_by)
        const of = { organizationId, workspaceId: undefined }
        const read = yield* analytics.readBillingMonth({ of, month: query.month, groupBy })
        const file = `organization_billing_${read.month}`
        return answered(request, organizationBillingMonthView(read), file, (view) =>
          readingCsv.organizationBilling(view, groupBy)
        )
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
