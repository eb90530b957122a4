/** Usage and costs, as they cross the wire. Spec: Analytics. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { count, flag, formed, id, nullableId, nullableText, pageFields, text, time, usd } from "./formats.ts"
import { tokenFields } from "./runSchemas.ts"
import { wire } from "./wire.ts"

/** Every amount is in this currency. */
const currency = Schema.Literal("USD").annotate({ description: "Of every amount" })

const asOf = time("Everything that was recorded before this time is counted")

const requests = count("Requests to model providers, failed ones and retries included")

const keySource = Schema.Literals(["byok", "platform"]).annotate({
  description: "Whose provider key paid: the workspace's own or the platform's"
})

const paidFields = {
  costUsd: usd("Their cost, as far as their prices are known"),
  byokCostUsd: usd("Of it, the part that the workspace's own provider keys paid for"),
  platformCostUsd: usd("Of it, the part that the platform's keys paid for"),
  unpricedRequests: count("Requests without a known price: they are not in the cost")
}

const usage = wire({ requests, ...tokenFields }, { identifier: "UsageSums", description: "Sums over model calls" })

const outcomes = wire(
  {
    total: count("All of them"),
    succeeded: count("Ended without a question"),
    paused: count("Ended on a question; they read succeeded with paused true, and are not counted as succeeded here"),
    failed: count("Failed"),
    cancelled: count("Cancelled")
  },
  { identifier: "RunOutcomes", description: "Runs that ended in this time, by how they ended" }
)

const groupKey = (description: string) => Schema.optionalKey(nullableText(description))

/** The identity of a group: a member for each dimension that was asked for. */
const cellKeys = {
  model: groupKey("By model: as it was asked for"),
  provider: groupKey("By provider"),
  agentId: Schema.optionalKey(nullableId("By agent: its id")),
  agentName: groupKey("By agent: its present name"),
  keySource: Schema.optionalKey(
    Schema.NullOr(keySource).annotate({
      description: "By whose provider key paid: the workspace's own or the platform's"
    })
  ),
  workspaceId: Schema.optionalKey(nullableId("By workspace: its id")),
  workspaceName: groupKey("By workspace: its present name")
}

const runKeys = {
  tag: groupKey("By tag; null for runs without any. A run counts for each of its tags"),
  metadata: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.NullOr(Schema.String)).annotate({
      description: "By pairs of metadata: the value under each name; null for runs without it"
    })
  )
}

const other = flag("Whether it adds up everything beyond the dearest 1,000; each of its keys is null")

const key = nullableText("The value of the first of `group_by`; null where there is none")

/** A part of what was used. */
export const UsageGroupView = wire(
  {
    key,
    ...cellKeys,
    ...runKeys,
    other,
    runs: Schema.NullOr(outcomes).annotate({
      description:
        "Its runs; null unless grouped by agents and workspaces alone, since a run may use several of anything else"
    }),
    usage,
    ...paidFields
  },
  { identifier: "UsageGroup", description: "A part of what was used" }
)

const usedFields = {
  since: time("From this time on"),
  until: time("And before this time"),
  asOf,
  currency,
  runs: outcomes,
  usage,
  ...paidFields,
  groups: Schema.optionalKey(
    Schema.Array(UsageGroupView).annotate({ description: "With group_by: its parts, the dearest first, 1,000 at most" })
  )
}

/** The usage of a workspace. */
export const UsageView = wire(
  { workspaceId: id("The workspace"), ...usedFields },
  { identifier: "UsageSummary", description: "Usage of a workspace" }
)

/** The usage of an organization. */
export const OrganizationUsageView = wire(
  { organizationId: id("The organization"), ...usedFields },
  { identifier: "OrganizationUsageSummary", description: "Usage of all workspaces of an organization together" }
)

// One schema for all places, since each one that is made is a component of its own.
const Percentiles = wire(
  {
    p50: count("Half of them took no longer"),
    p95: count("95 of a hundred took no longer"),
    p99: count("99 of a hundred took no longer")
  },
  { identifier: "Percentiles", description: "Milliseconds by the nearest rank, each within 5 % of the true ones" }
)

const percentiles = (description: string) => Schema.NullOr(Percentiles).annotate({ description })

/** One hour of the series. */
export const UsageHourView = wire(
  {
    hour: time("When it begins"),
    runs: count("Runs that ended in it"),
    outcomes,
    runLatencyMs: percentiles(
      "How long the runs took that ended in it, from when each could begin (`created_at`, or `run_at`) to its end, the time in the " +
        "queue included; null where none of them ever began"
    ),
    timeToFirstTokenMs: percentiles(
      "How long the first token took of the requests that were begun in it; null where none was streamed"
    ),
    requests,
    ...tokenFields,
    ...paidFields
  },
  { identifier: "UsageHour", description: "Usage of an hour" }
)

/** Usage by the hour. */
export const HourlyUsageView = wire(
  {
    timezone: text("The IANA time zone in which the hours are full ones: the workspace's, or UTC for an organization"),
    asOf,
    items: Schema.Array(UsageHourView).annotate({
      description: "Every hour that has begun, oldest first, those included in which there was nothing"
    })
  },
  { identifier: "HourlyUsage", description: "Usage by the hour" }
)

const billedFields = {
  runs: count("Runs that ended"),
  requests,
  costUsd: usd("The cost recorded until the days were final, without adjustments"),
  byokCostUsd: paidFields.byokCostUsd,
  platformCostUsd: paidFields.platformCostUsd,
  unpricedRequests: paidFields.unpricedRequests,
  adjustmentsUsd: usd("Costs that arrived after a day was final, and corrections since; it may be below zero")
}

/** A part of a day. */
export const BillingGroupView = wire(
  { key, ...cellKeys, other, requests, ...tokenFields, ...paidFields },
  {
    identifier: "BillingGroup",
    description:
      "A part of a day, with what was recorded after it was final: `cost_usd` and `adjustments_usd` of the day in one"
  }
)

/** A day of a bill. */
export const BillingDayView = wire(
  {
    date: formed("date", "The day, as in 2026-11-21, in the workspace's time zone"),
    ...billedFields,
    status: Schema.Literals(["provisional", "final"]).annotate({
      description: "final from 24 hours after its end; then only `adjustments_usd` and `revision` change"
    }),
    revision: count("How often it was adjusted"),
    groups: Schema.optionalKey(
      Schema.Array(BillingGroupView).annotate({
        description:
          "With group_by: its parts, the dearest first: of a month the dearest 1,000, and the rest of each day"
      })
    )
  },
  { identifier: "BillingDay", description: "Costs of a day" }
)

const monthFields = {
  period: formed("month", "The month, as in 2026-11"),
  status: Schema.Literals(["open", "closed"]).annotate({ description: "closed once every day of it is final" }),
  asOf,
  currency
}

const monthItems = {
  items: Schema.Array(BillingDayView).annotate({ description: "Every day of the month that has begun" }),
  totals: wire(billedFields, {
    identifier: "BillingTotals",
    description: "Sums over the days. The month costs `cost_usd` plus `adjustments_usd`"
  })
}

/** The bill of a workspace for a month. */
export const BillingMonthView = wire(
  {
    timezone: text("The IANA time zone that its days follow"),
    ...monthFields,
    cap: wire(
      {
        monthlyCapUsd: Schema.NullOr(usd("The most that may be spent; null for no cap")),
        spentUsd: usd("The amount that counts against it at this moment"),
        remainingUsd: Schema.NullOr(usd("The amount left; null for no cap")),
        reachedAt: Schema.NullOr(time("When it was reached for the first time in this month")),
        resetsAt: time("When the next month begins")
      },
      {
        identifier: "BillingCap",
        description: "How the month's cap stands. Of a past month: as it was when a request was last admitted in it"
      }
    ),
    ...monthItems
  },
  { identifier: "BillingMonth", description: "Costs of a month, day by day" }
)

/** The bill of an organization for a month. */
export const OrganizationBillingMonthView = wire(
  { ...monthFields, ...monthItems },
  {
    identifier: "OrganizationBillingMonth",
    description: "Costs of a month of all workspaces together, day by day: of each by the days of its own time zone"
  }
)

/** The formats of readings, the default first. */
export const READING_FORMATS = ["application/json", "text/csv"] as const

/** Any reading as a table. */
export const ReadingCsv = Schema.String.annotate({
  description:
    "The same as a table (RFC 4180), with a header: a line for each of `groups` where there are any, else of `items`"
}).pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

const priceVersion = nullableText("The source of the price; null when no price is known")

/** The costs of a run. */
export const RunCostsView = wire(
  {
    runId: id("The run"),
    currency,
    totalCostUsd: usd("The cost of its model calls"),
    byokCostUsd: paidFields.byokCostUsd,
    platformCostUsd: paidFields.platformCostUsd,
    unpricedRequests: paidFields.unpricedRequests,
    reservedUsd: usd("The amount reserved for calls in flight"),
    items: Schema.Array(
      wire(
        {
          provider: text("The model provider"),
          model: text("The model as it was asked for"),
          requests,
          ...tokenFields,
          costUsd: usd("Their cost"),
          unpricedRequests: paidFields.unpricedRequests,
          keySource,
          priceVersion
        },
        { identifier: "RunModelCost", description: "The calls of a run to one model, paid for by one kind of key" }
      )
    ).annotate({ description: "By provider, model and kind of key" })
  },
  { identifier: "RunCosts", description: "Costs of a run, by model" }
)

const runRequest = wire(
  {
    requestId: id("The request's id"),
    seq: count("Its place among the run's requests, from 1, in the order in which they were begun"),
    attempt: count("The attempt of the run that made it"),
    provider: text("The model provider"),
    requestModel: text("The model as it was asked for"),
    responseModel: nullableText("The model that answered, if it is known"),
    status: Schema.Literals(["ok", "error", "aborted"]).annotate({ description: "How it ended" }),
    errorCode: nullableText("Why it failed"),
    finishReason: nullableText(
      "Why the answer ended: `stop`, `length`, `tool_calls`, `content_filter` or `other`; null where no end of it was seen"
    ),
    startedAt: time("When it was sent"),
    durationMs: count("How long it took, in milliseconds"),
    timeToFirstTokenMs: Schema.NullOr(count("How long until the first token came, if it was streamed")),
    ...tokenFields,
    usageSource: Schema.Literals(["provider", "estimated"]).annotate({
      description: "Who counted the tokens; estimated: not counted, so the amount held back is taken as used"
    }),
    costUsd: Schema.NullOr(usd("Its cost, with the last correction of its price; null when the price is unknown")),
    keySource,
    keyId: nullableId(
      "The workspace's provider key that paid; null for the platform's, and for one that an agent has used by itself and reports"
    ),
    priceVersion
  },
  { identifier: "RunRequest", description: "One request to a model provider" }
)

/** A page of a run's model calls. */
export const RunRequestPage = wire(
  { runId: id("The run"), ...pageFields(runRequest) },
  { identifier: "RunRequestPage", description: "A run's requests to model providers, newest first" }
)
