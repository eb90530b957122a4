/** Usage and costs, as they cross the wire. Spec: Analytics. */
import { Schema } from "effect"
import { count, id, nullableId, nullableText, pageFields, text, time, usd } from "./formats.ts"
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
  byokCostUsd: usd("Of it, what the workspace's own provider keys paid for"),
  platformCostUsd: usd("Of it, what the platform's keys paid for"),
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

/** A part of what was used. */
export const UsageGroupView = wire(
  {
    key: text("The model, provider or agent"),
    runs: Schema.NullOr(outcomes).annotate({
      description: "Runs of the agent; null when grouped by model or provider, since a run may use several"
    }),
    usage,
    ...paidFields
  },
  { identifier: "UsageGroup", description: "A part of what was used" }
)

/** The usage of a workspace. */
export const UsageView = wire(
  {
    workspaceId: id("The workspace"),
    since: time("From this time on"),
    until: time("And before this time"),
    asOf,
    currency,
    runs: outcomes,
    usage,
    ...paidFields,
    groups: Schema.optionalKey(
      Schema.Array(UsageGroupView).annotate({ description: "With group_by: its parts, the dearest first" })
    )
  },
  { identifier: "UsageSummary", description: "Usage of a workspace" }
)

/** The usage of a workspace by the hour. */
export const HourlyUsageView = wire(
  {
    timezone: text("The workspace's IANA time zone, in which the hours are full ones"),
    asOf,
    items: Schema.Array(
      wire(
        {
          hour: time("When it begins"),
          runs: count("Runs that ended in it"),
          requests,
          ...tokenFields,
          costUsd: usd("Its cost"),
          unpricedRequests: paidFields.unpricedRequests
        },
        { identifier: "UsageHour", description: "Usage of an hour" }
      )
    ).annotate({ description: "Every hour, oldest first, those included in which there was nothing" })
  },
  { identifier: "HourlyUsage", description: "Usage of a workspace by the hour" }
)

const billedFields = {
  runs: count("Runs that ended"),
  requests,
  costUsd: usd("The cost recorded until the days were final, without adjustments"),
  byokCostUsd: usd("Of it, what the workspace's own provider keys paid for"),
  platformCostUsd: usd("Of it, what the platform's keys paid for"),
  adjustmentsUsd: usd("Costs that arrived after a day was final, and corrections since; it may be below zero")
}

/** The bill of a workspace for a month. */
export const BillingMonthView = wire(
  {
    period: text("The month, as in 2026-11"),
    timezone: text("The IANA time zone that its days follow"),
    status: Schema.Literals(["open", "closed"]).annotate({ description: "closed once every day of it is final" }),
    asOf,
    currency,
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
    items: Schema.Array(
      wire(
        {
          date: text("The day, as in 2026-11-21, in the workspace's time zone"),
          ...billedFields,
          status: Schema.Literals(["provisional", "final"]).annotate({
            description: "final from 24 hours after its end; then only `adjustments_usd` and `revision` change"
          }),
          revision: count("How often it was adjusted")
        },
        { identifier: "BillingDay", description: "Costs of a day" }
      )
    ).annotate({ description: "Every day of the month" }),
    totals: wire(billedFields, {
      identifier: "BillingTotals",
      description: "Sums over the days. The month costs `cost_usd` plus `adjustments_usd`"
    })
  },
  { identifier: "BillingMonth", description: "Costs of a month, day by day" }
)

const priceVersion = nullableText("The source of the price; null when no price is known")

/** The costs of a run. */
export const RunCostsView = wire(
  {
    runId: id("The run"),
    currency,
    totalCostUsd: usd("The cost of its model calls"),
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
    finishReason: nullableText("Why the model stopped"),
    startedAt: time("When it was sent"),
    durationMs: count("How long it took, in milliseconds"),
    timeToFirstTokenMs: Schema.NullOr(count("How long until the first token came, if it was streamed")),
    ...tokenFields,
    usageSource: Schema.Literals(["provider", "estimated"]).annotate({
      description: "Who counted the tokens; estimated: not counted, so the amount held back is taken as used"
    }),
    costUsd: Schema.NullOr(usd("Its cost, with the last correction of its price; null when the price is unknown")),
    keySource,
    keyId: nullableId("The workspace's provider key that paid; null for the platform's"),
    priceVersion
  },
  { identifier: "RunRequest", description: "One request to a model provider" }
)

/** A page of a run's model calls. */
export const RunRequestPage = wire(
  { runId: id("The run"), ...pageFields(runRequest) },
  { identifier: "RunRequestPage", description: "A run's requests to model providers, newest first" }
)
