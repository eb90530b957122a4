/** Version 1 of the interface: all groups together. */
import { HttpApi, OpenApi } from "effect/http-api"
import { ActivityGroup } from "./ActivityGroup.ts"
import { AgentsGroup } from "./AgentsGroup.ts"
import { AnalyticsGroup } from "./AnalyticsGroup.ts"
import { AuthGroup } from "./AuthGroup.ts"
import { ByokGroup } from "./ByokGroup.ts"
import { HooksGroup } from "./HooksGroup.ts"
import { LoginGroup } from "./LoginGroup.ts"
import { LoginSessionsGroup } from "./LoginSessionsGroup.ts"
import { MembersGroup } from "./MembersGroup.ts"
import { Problems } from "./middleware.ts"
import { NotificationsGroup } from "./NotificationsGroup.ts"
import { OrgKeysGroup } from "./OrgKeysGroup.ts"
import { completeDocument } from "./openApi.ts"
import { RunsGroup } from "./RunsGroup.ts"
import { SessionsGroup } from "./SessionsGroup.ts"
import { WebhooksGroup } from "./WebhooksGroup.ts"
import { WorkspacesGroup } from "./WorkspacesGroup.ts"

/**
 * The interface that servers implement and clients call. All faults of a request are reported at once, and what it
 * holds too much is one; what an answer holds too much is not, so that clients survive additions.
 */
export class Api extends HttpApi.make("agent-platform")
  .add(AuthGroup)
  .add(LoginGroup)
  .add(LoginSessionsGroup)
  .add(OrgKeysGroup)
  .add(WorkspacesGroup)
  .add(MembersGroup)
  .add(AgentsGroup)
  .add(HooksGroup)
  .add(RunsGroup)
  .add(AnalyticsGroup)
  .add(ByokGroup)
  .add(SessionsGroup)
  .add(WebhooksGroup)
  .add(NotificationsGroup)
  .add(ActivityGroup)
  .middleware(Problems)
  .annotate(HttpApi.QueryParseOptions, { errors: "first", onExcessProperty: "error" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "first", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, { errors: "first" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Agent Platform",
      version: "1.0.0",
      summary: "The open, self-hosted backend that companies put in front of their AI agents.",
      description:
        "Runs of agents, workspaces and API keys, and signed webhooks. Errors are RFC 9457 problems. Times are ISO " +
        "8601 in UTC, money is a decimal string in USD, ids are UUIDs. Paths answer with and without a trailing slash.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      transform: completeDocument
    })
  ) {}
