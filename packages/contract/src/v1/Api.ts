/** Version 1 of the interface: all groups together. */
import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { ActivityGroup } from "./ActivityGroup.ts"
import { AgentsGroup } from "./AgentsGroup.ts"
import { AnalyticsGroup } from "./AnalyticsGroup.ts"
import { AttemptsGroup } from "./AttemptsGroup.ts"
import { AuthGroup } from "./AuthGroup.ts"
import { Access, bodyLimitOf } from "./access.ts"
import { ByokGroup } from "./ByokGroup.ts"
import { ErasuresGroup } from "./ErasuresGroup.ts"
import { GatewayGroup } from "./GatewayGroup.ts"
import { HooksGroup } from "./HooksGroup.ts"
import { LoginGroup } from "./LoginGroup.ts"
import { LoginSessionsGroup } from "./LoginSessionsGroup.ts"
import { MembersGroup } from "./MembersGroup.ts"
import { Problems } from "./middleware.ts"
import { NotificationsGroup } from "./NotificationsGroup.ts"
import { OrgAgentTemplatesGroup } from "./OrgAgentTemplatesGroup.ts"
import { OrgKeysGroup } from "./OrgKeysGroup.ts"
import { OrgProviderKeysGroup } from "./OrgProviderKeysGroup.ts"
import { OrgToolSecretsGroup } from "./OrgToolSecretsGroup.ts"
import { completeDocument } from "./openapi/document.ts"
import { INTRODUCTION } from "./openapi/introduction.ts"
import type { OperationFacts } from "./openapi/operations.ts"
import { RunsGroup } from "./RunsGroup.ts"
import { SchedulesGroup } from "./SchedulesGroup.ts"
import { SessionsGroup } from "./SessionsGroup.ts"
import { ToolSecretsGroup } from "./ToolSecretsGroup.ts"
import { WebhooksGroup } from "./WebhooksGroup.ts"
import { WorkspacesGroup } from "./WorkspacesGroup.ts"

/** A request is decoded once, and all its faults are found; in a closed part of it an unknown member is one. */
const ALL_FAULTS = { errors: "all" } as const
const CLOSED = { ...ALL_FAULTS, onExcessProperty: "error" } as const

const groups = HttpApi.make("agent-platform")
  .add(AuthGroup)
  .add(LoginGroup)
  .add(LoginSessionsGroup)
  .add(OrgKeysGroup)
  .add(WorkspacesGroup)
  .add(MembersGroup)
  .add(AgentsGroup)
  .add(HooksGroup)
  .add(RunsGroup)
  .add(AttemptsGroup)
  .add(GatewayGroup)
  .add(SchedulesGroup)
  .add(AnalyticsGroup)
  .add(ByokGroup)
  .add(ToolSecretsGroup)
  .add(OrgToolSecretsGroup)
  .add(OrgProviderKeysGroup)
  .add(OrgAgentTemplatesGroup)
  .add(SessionsGroup)
  .add(WebhooksGroup)
  .add(NotificationsGroup)
  .add(ActivityGroup)
  .add(ErasuresGroup)

/** All that the document says of operations beyond their schemas, by their ids in what is generated. */
const operationFacts = (): ReadonlyMap<string, OperationFacts> => {
  const facts = new Map<string, OperationFacts>()
  HttpApi.reflect(groups, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const access = Context.getOrUndefined(endpoint.annotations, Access) ?? { reach: "public", scope: null }
      facts.set(`${group.identifier}.${endpoint.identifier}`, {
        group: group.identifier,
        access,
        bodyBytes: bodyLimitOf(endpoint)
      })
    }
  })
  return facts
}

/**
 * The interface that servers implement and clients call. All faults of a request are reported at once. An unknown member of a query or a
 * body is a fault; one of an answer is not, so that clients survive additions, and headers are added by every proxy.
 */
export class Api extends groups
  .middleware(Problems)
  .annotate(HttpApi.QueryParseOptions, CLOSED)
  .annotate(HttpApi.PayloadParseOptions, CLOSED)
  .annotate(HttpApi.HeadersParseOptions, ALL_FAULTS)
  .annotateMerge(
    OpenApi.annotations({
      title: "Agent Platform",
      version: "1.0.0",
      summary: "The open, self-hosted backend that companies put in front of their AI agents.",
      description: INTRODUCTION,
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      transform: (generated) => completeDocument(generated, operationFacts())
    })
  ) {}
