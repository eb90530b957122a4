import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Result } from "effect"
import type { BillingMonth, Span } from "../../BillingMonth.ts"
import { type UsageFilter, UsageReadings, type UsageSpans, type WorkspaceSpans } from "../../ports/UsageReadings.ts"
import type { ReadWorkspace } from "../../ports/WorkspaceCalendars.ts"
import { boundRefusal, type GivenRange, RangeRefused, rangeOf, spanRefusal, spansOf } from "../../ReadingRange.ts"
import { addPaid, NO_PAID_USAGE, type PaidUsage } from "../../UsageCells.ts"
import {
  dearestFirst,
  type GroupedUsage,
  isCellDimension,
  LABELLED_REQUESTS_MAX,
  type UsageDimension
} from "../../UsageGroups.ts"
import { monthsOver } from "./monthsOver.ts"
import { namesIn } from "./namedGroups.ts"
import { idsOf, type ReadingOf, workspacesOf } from "./readingOf.ts"

/** A question for usage. */
export interface ReadUsage extends GivenRange {
  readonly of: ReadingOf
  readonly filter: UsageFilter
  /** The dimensions to group by: two at most, each once. */
  readonly groupBy: ReadonlyArray<UsageDimension>
}

const NO_FILTER: UsageFilter = { agentId: undefined, model: undefined, provider: undefined }

const sumOf = (groups: ReadonlyArray<GroupedUsage>): PaidUsage =>
  groups.reduce((sum, { usage }) => addPaid(sum, usage), NO_PAID_USAGE)

/** The roll-ups of each workspace. Workspaces with the same months share one list of these (`monthsOver`), and so the roll-ups. */
const spansOfEach = (
  query: GivenRange,
  span: Span,
  workspaces: ReadonlyArray<ReadWorkspace>,
  months: ReadonlyArray<ReadonlyArray<BillingMonth>>
): Result.Result<ReadonlyArray<WorkspaceSpans>, RangeRefused> => {
  const made = new Map<ReadonlyArray<BillingMonth>, Result.Result<UsageSpans, RangeRefused>>()
  const all: Array<WorkspaceSpans> = []
  for (const [place, { workspaceId }] of workspaces.entries()) {
    const own = months[place] ?? []
    const spans = made.get(own) ?? spansOf(query, span, own)
    made.set(own, spans)
    if (Result.isFailure(spans)) return Result.fail(spans.failure)
    all.push({ workspaceId, ...spans.success })
  }
  return Result.succeed(all)
}

/** Groups by tags or metadata. Fails where the span has more than `LABELLED_REQUESTS_MAX` requests, which are gone through one by one. */
const labelledGroups = Effect.fnUntraced(function* (
  { filter, groupBy }: ReadUsage,
  workspaces: ReadonlyArray<ReadWorkspace>,
  span: Span,
  spans: ReadonlyArray<WorkspaceSpans>
) {
  const readings = yield* UsageReadings
  const everything = yield* readings.usage(spans, { filter: NO_FILTER, groupBy: [] })
  if (sumOf(everything.groups).requests > LABELLED_REQUESTS_MAX) {
    return yield* new RangeRefused({ parameter: "since", reason: "too_many_requests" })
  }
  return yield* readings.labelled(idsOf(workspaces), span, { filter, groupBy })
})

/**
 * The usage of a workspace, or of an organization's, in a span of whole hours, 366 days at most: the last 30 days by default. Runs
 * are those that ended in it; of the filters only the agent narrows them. Fails with `RangeRefused`.
 */
export const readUsage = useCase("billing.readUsage")(function* (query: ReadUsage) {
  const { filter, groupBy, of } = query
  const readings = yield* UsageReadings
  const now = yield* DateTime.now
  // The zone of the span is that of the one workspace, so workspaces are looked up first, for the same span in UTC.
  const { only, workspaces } = yield* workspacesOf(of, rangeOf(query, "UTC", now).start)
  const span = rangeOf(query, only?.calendar.monthAt(now).timezone ?? "UTC", now)
  const refused = spanRefusal(span) ?? (only === undefined ? boundRefusal(query, () => "UTC") : undefined)
  if (refused !== undefined) return yield* refused
  const months = yield* monthsOver(workspaces, span)
  const spans = yield* Effect.fromResult(spansOfEach(query, span, workspaces, months))
  const isLabelled = !groupBy.every(isCellDimension)
  const read = yield* readings.usage(spans, { filter, groupBy: isLabelled ? [] : groupBy.filter(isCellDimension) })
  const groups = isLabelled ? yield* labelledGroups(query, workspaces, span, spans) : read.groups
  const named = groupBy.length === 0 ? undefined : yield* namesIn(workspaces, groupBy, groups)
  return {
    since: span.start,
    until: span.end,
    asOf: read.asOf,
    runs: read.runs,
    usage: sumOf(read.groups),
    groups: named && groups.toSorted(dearestFirst).map((group) => named(group))
  }
})
