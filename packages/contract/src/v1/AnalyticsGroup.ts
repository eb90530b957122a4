/** Usage and costs. Spec: Analytics. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access, Formats } from "./access.ts"
import {
  BillingMonthView,
  HourlyUsageView,
  OrganizationBillingMonthView,
  OrganizationUsageView,
  READING_FORMATS,
  ReadingCsv,
  RunCostsView,
  RunRequestPage,
  UsageView
} from "./analyticsSchemas.ts"
import { NotFound, UnprocessableContent } from "./errors.ts"
import { bounded, id, text, time } from "./formats.ts"
import { groupings } from "./groupings.ts"
import { Strict } from "./middleware.ts"
import { documentParameters, pageParameters, parameters } from "./queries.ts"

/** The longest name of a model or provider that a filter takes, in characters. */
const FILTER_LENGTH_MAX = 200

const named = (description: string) => ({
  schema: Schema.optionalKey(bounded(description, 1, FILTER_LENGTH_MAX)),
  doc: { description, schema: { type: "string", minLength: 1, maxLength: FILTER_LENGTH_MAX } }
})

const moment = (description: string) => ({
  schema: Schema.optionalKey(time(description)),
  doc: { description, schema: { type: "string", format: "date-time" } }
})

const rangeParameters = {
  since: moment("From this full hour on; 30 days before `until` when missing"),
  until: moment("Before this full hour; the end of the present hour when missing"),
  agent_id: {
    schema: Schema.optionalKey(text("An id")),
    doc: { description: "Only this agent; an unknown one used nothing", schema: { type: "string", format: "uuid" } }
  },
  model: named("Only this model, as it was asked for. Runs are not narrowed by it"),
  provider: named("Only this model provider. Runs are not narrowed by it")
}

const usageParameters = parameters({ ...rangeParameters, group_by: groupings("all") })

const { model, provider, since, until } = rangeParameters

const organizationUsageParameters = parameters({
  since,
  until,
  model,
  provider,
  group_by: groupings("all", "workspace_id")
})

const hourlyParameters = parameters(rangeParameters)

const organizationHourlyParameters = parameters({ since, until, model, provider })

const MONTH = /^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$/u

const monthParameter = {
  month: {
    schema: Schema.optionalKey(
      Schema.String.check(Schema.isPattern(MONTH, { message: "must be a month from 1970 to 2999, such as 2026-11" }))
    ),
    doc: {
      description: "The month; the present one when missing. One that has not begun has no days yet",
      schema: { type: "string", pattern: MONTH.source, examples: ["2026-11"] }
    }
  }
}

const billingParameters = parameters({ ...monthParameter, group_by: groupings("cells") })

const organizationBillingParameters = parameters({
  ...monthParameter,
  group_by: groupings("cells", "workspace_id")
})

const runPath = { run_id: id("The run's id") }

const LABELS_ARE_SLOW =
  "By `tag` or `metadata.<key>` it goes through the requests themselves, 250,000 at most: of a time with more it is 422."

/** The group behind `/api/v1/analytics` and `/api/v1/org/analytics`. */
export class AnalyticsGroup extends HttpApiGroup.make("analytics")
  .add(
    HttpApiEndpoint.get("readUsage", "/api/v1/analytics/usage", {
      query: usageParameters.fields,
      success: [UsageView, ReadingCsv],
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "workspace", scope: "analytics:read" })
      .annotate(Formats, READING_FORMATS)
      .annotate(OpenApi.Transform, documentParameters(usageParameters.docs))
      .annotate(OpenApi.Summary, "Read usage")
      .annotate(
        OpenApi.Description,
        "Runs that ended, requests, tokens and cost in a time of up to 366 days whose bounds are full hours, in UTC or " +
          "in the workspace's time zone. A request counts for the time in which it was begun. The figures are those of " +
          "`as_of`, a few seconds ago. An `agent_id`, `model` or `provider` that is unknown used nothing. " +
          LABELS_ARE_SLOW
      ),
    HttpApiEndpoint.get("readHourlyUsage", "/api/v1/analytics/hourly", {
      query: hourlyParameters.fields,
      success: [HourlyUsageView, ReadingCsv],
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "workspace", scope: "analytics:read" })
      .annotate(Formats, READING_FORMATS)
      .annotate(OpenApi.Transform, documentParameters(hourlyParameters.docs))
      .annotate(OpenApi.Summary, "Read usage by the hour")
      .annotate(
        OpenApi.Description,
        "The same as a series of up to 744 hours of the workspace's clock, without gaps, with outcomes of runs and percentiles. One " +
          "that `since` does not begin with is cut there; hours that have not begun are left out."
      ),
    HttpApiEndpoint.get("readBillingMonth", "/api/v1/analytics/billing", {
      query: billingParameters.fields,
      success: [BillingMonthView, ReadingCsv],
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "workspace", scope: "analytics:read" })
      .annotate(Formats, READING_FORMATS)
      .annotate(OpenApi.Transform, documentParameters(billingParameters.docs))
      .annotate(OpenApi.Summary, "Read the costs of a month")
      .annotate(
        OpenApi.Description,
        "A month day by day, by the workspace's time zone. A day is final 24 hours after its end: from then on its " +
          "figures do not change, and later costs show in `adjustments_usd`, each time with a higher `revision`. Days that have " +
          "not begun are left out: a month to come has none."
      ),
    HttpApiEndpoint.get("readRunCosts", "/api/v1/analytics/runs/:run_id/costs", {
      params: runPath,
      success: RunCostsView,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "analytics:read" })
      .annotate(OpenApi.Summary, "Read the costs of a run")
      .annotate(
        OpenApi.Description,
        "A run's cost by model and by whose key paid, at this very moment. The amount reserved for its requests in flight is beside it."
      ),
    HttpApiEndpoint.get("listRunRequests", "/api/v1/analytics/runs/:run_id/requests", {
      params: runPath,
      query: pageParameters.fields,
      success: RunRequestPage,
      error: [NotFound, UnprocessableContent]
    })
      .annotate(Access, { reach: "workspace", scope: "analytics:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List a run's requests to models")
      .annotate(
        OpenApi.Description,
        "Every request to a model provider that a run made and that has ended, failed ones and retries included."
      ),
    HttpApiEndpoint.get("readOrganizationUsage", "/api/v1/org/analytics/usage", {
      query: organizationUsageParameters.fields,
      success: [OrganizationUsageView, ReadingCsv],
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "organization", scope: "analytics:read" })
      .annotate(Formats, READING_FORMATS)
      .annotate(OpenApi.Transform, documentParameters(organizationUsageParameters.docs))
      .annotate(OpenApi.Summary, "Read the organization's usage")
      .annotate(
        OpenApi.Description,
        `The usage of all workspaces together; bounds are full hours in UTC. ${LABELS_ARE_SLOW}`
      ),
    HttpApiEndpoint.get("readOrganizationHourlyUsage", "/api/v1/org/analytics/hourly", {
      query: organizationHourlyParameters.fields,
      success: [HourlyUsageView, ReadingCsv],
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "organization", scope: "analytics:read" })
      .annotate(Formats, READING_FORMATS)
      .annotate(OpenApi.Transform, documentParameters(organizationHourlyParameters.docs))
      .annotate(OpenApi.Summary, "Read the organization's usage by the hour")
      .annotate(
        OpenApi.Description,
        "All workspaces together in up to 168 hours in UTC, the last 7 days when `since` is missing. Hours that have not begun are " +
          "left out."
      ),
    HttpApiEndpoint.get("readOrganizationBillingMonth", "/api/v1/org/analytics/billing", {
      query: organizationBillingParameters.fields,
      success: [OrganizationBillingMonthView, ReadingCsv],
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "organization", scope: "analytics:read" })
      .annotate(Formats, READING_FORMATS)
      .annotate(OpenApi.Transform, documentParameters(organizationBillingParameters.docs))
      .annotate(OpenApi.Summary, "Read the organization's costs of a month")
      .annotate(
        OpenApi.Description,
        "A month of all workspaces together, day by day: each day adds up what the workspaces have for that date, each by its own " +
          "time zone, so that the figures are the sums of theirs. A day is final once it is in every workspace."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Analytics")
  .annotate(OpenApi.Description, "Usage and costs") {}
