/** Workspaces. Spec: Identity and API keys; Organization API keys. */
import { RETENTION_DAYS_MAX, RETENTION_DAYS_MIN } from "@agent-platform/keys"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { created, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { bounded, flag, id, integer, maybe, name, orElse, pageFields, text, time, usd, usdAmount } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { wire } from "./wire.ts"

/** The longest name of a time zone, in characters. */
export const TIMEZONE_LENGTH_MAX = 100

const timezone = (description: string) => bounded(description, 1, TIMEZONE_LENGTH_MAX)

const monthlyCap = usdAmount("The most that the workspace may spend in a month, in USD; null for no cap")

const retentionDays = maybe(
  integer(
    "For how many days the workspace's runs are kept after their session's last run ended, with all that belongs to them; null for " +
      "as long as the deployment keeps runs, beyond which a longer time has no effect",
    RETENTION_DAYS_MIN,
    RETENTION_DAYS_MAX
  )
)

const allowPlatformKeys = flag(
  "Whether model calls may be made with the platform's own provider keys, where those of the workspace allow it"
)

/** The body that creates a workspace. */
export const NewWorkspace = wire(
  {
    name: name("Name of the workspace. Need not be unique"),
    timezone: orElse(
      timezone(
        "A time zone of the IANA database, such as Europe/Berlin, not an offset. Days and months of usage follow it. Missing: UTC"
      ).annotate({ default: "UTC" }),
      "UTC"
    ),
    monthlyCapUsd: maybe(monthlyCap),
    allowPlatformKeys: orElse(allowPlatformKeys.annotate({ default: false }), false),
    retentionDays
  },
  {
    identifier: "NewWorkspace",
    description: "A workspace to create",
    examples: [{ name: "Acme Ltd.", timezone: "Europe/Berlin", monthly_cap_usd: "250.00" }]
  }
)

/** The body that changes a workspace. */
export const WorkspaceChange = wire(
  {
    name: Schema.optionalKey(name("Name of the workspace. Need not be unique")),
    timezone: Schema.optionalKey(
      timezone("A time zone of the IANA database. It holds from the next month on that has not begun there yet")
    ),
    monthlyCapUsd: maybe(monthlyCap),
    allowPlatformKeys: Schema.optionalKey(allowPlatformKeys),
    retentionDays
  },
  {
    identifier: "WorkspaceChange",
    description: "Changes of a workspace; absent members stay as they are",
    examples: [{ monthly_cap_usd: "500.00" }]
  }
)

const workspaceFields = {
  id: id("The workspace's id"),
  name: text("Name of the workspace. Need not be unique"),
  organizationId: id("The organization's id"),
  timezone: text("The time zone that holds now; days and months of usage follow it"),
  nextTimezone: Schema.NullOr(
    wire(
      {
        timezone: text("A time zone of the IANA database"),
        startsAt: time("When it begins to hold, which is the beginning of a month there")
      },
      { identifier: "NextTimezone", description: "A time zone that will hold" }
    )
  ).annotate({ description: "The time zone that was chosen for the months to come; null when none was" })
}

/** A workspace as the organization sees it. */
export const WorkspaceView = wire(
  {
    ...workspaceFields,
    monthlyCapUsd: Schema.NullOr(usd("The most that it may spend in a month; null for no cap")),
    allowPlatformKeys: allowPlatformKeys,
    retentionDays: Schema.NullOr(Schema.Int).annotate({
      description: "For how many days its runs are kept; null for as long as the deployment keeps runs"
    }),
    createdAt: time("When the workspace was created")
  },
  { identifier: "Workspace", description: "The tenant that every resource belongs to" }
)

/** A workspace that the caller may look into. */
export const ReachableWorkspace = wire(
  {
    id: id("The workspace's id"),
    name: text("Name of the workspace. Need not be unique"),
    role: Schema.NullOr(Schema.Literals(["owner", "admin", "member", "viewer"])).annotate({
      description: "The person's role there; null for a key"
    })
  },
  { identifier: "ReachableWorkspace", description: "A workspace that the caller may look into" }
)

/** A page of those. */
export const ReachableWorkspacePage = wire(pageFields(ReachableWorkspace), {
  identifier: "ReachableWorkspacePage",
  description: "Workspaces, newest first"
})

/** A page of workspaces. */
export const WorkspacePage = wire(pageFields(WorkspaceView), {
  identifier: "WorkspacePage",
  description: "Workspaces, newest first"
})

/** The workspace of a request, with what it spends. */
export const CurrentWorkspace = wire(
  {
    ...workspaceFields,
    createdAt: time("When the workspace was created"),
    spendCap: wire(
      {
        monthlyCapUsd: Schema.NullOr(usd("The most that it may spend in a month; null for no cap")),
        spentUsd: usd("The cost of model calls admitted since period_start"),
        reservedUsd: usd("The amount reserved for model calls in flight"),
        periodStart: time("When the month began in the workspace's time zone"),
        periodEnd: time("When the next month begins"),
        status: Schema.Literals(["ok", "near", "reached"]).annotate({
          description:
            "near from 80 % of the cap on, reached from all of it on, or once a call was refused for it; without a cap always ok"
        })
      },
      { identifier: "SpendCap", description: "The workspace's spend cap of this month, and the amount spent" }
    )
  },
  { identifier: "CurrentWorkspace", description: "The workspace of a request" }
)

/** The group behind `/api/v1/auth/workspace` and `/api/v1/org/workspaces`. */
export class WorkspacesGroup extends HttpApiGroup.make("workspaces")
  .add(
    HttpApiEndpoint.get("readWorkspace", "/api/v1/auth/workspace", { success: CurrentWorkspace })
      .annotate(Access, { reach: "workspace", scope: null })
      .annotate(OpenApi.Summary, "Read the current workspace")
      .annotate(
        OpenApi.Description,
        "The workspace that the request is about: a workspace key's own, or the one that X-Workspace-Id names; and what " +
          "it spends this month."
      ),
    HttpApiEndpoint.get("listReachableWorkspaces", "/api/v1/auth/workspaces", {
      query: pageParameters.fields,
      success: ReachableWorkspacePage
    })
      .annotate(Access, { reach: "caller", scope: null })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List the workspaces that the caller reaches")
      .annotate(
        OpenApi.Description,
        "The workspaces that the caller may name in X-Workspace-Id, newest first: those that a person has a role in, or all of " +
          "the organization for its owners, admins and keys; for a workspace key its own."
      ),
    HttpApiEndpoint.post("createWorkspace", "/api/v1/org/workspaces", {
      headers: idempotencyHeaders,
      payload: NewWorkspace,
      success: created(WorkspaceView),
      error: [Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Create a workspace")
      .annotate(
        OpenApi.Description,
        "Creates a workspace in the organization, for instance one for an end customer. An organization key reaches it " +
          "at once; keys of its own are created with its id as X-Workspace-Id."
      ),
    HttpApiEndpoint.get("listWorkspaces", "/api/v1/org/workspaces", {
      query: pageParameters.fields,
      success: WorkspacePage
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List workspaces")
      .annotate(OpenApi.Description, "The organization's workspaces, newest first."),
    HttpApiEndpoint.patch("updateWorkspace", "/api/v1/org/workspaces/:workspace_id", {
      params: { workspace_id: id("The workspace's id") },
      payload: WorkspaceChange,
      success: WorkspaceView,
      error: [NotFound, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Change a workspace")
      .annotate(
        OpenApi.Description,
        "Changes name, cap, retention or time zone of a workspace; absent members stay as they are. A time zone holds from the next " +
          "month on, so that nothing that was spent changes its month; choosing the present one takes a change back. " +
          "Everything else holds at once."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Workspaces")
  .annotate(OpenApi.Description, "The tenants that every resource belongs to, and their spending") {}
