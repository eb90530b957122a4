import { Api } from "@agent-platform/contract"
import { AgentId, Runs } from "@agent-platform/runs"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiSettings } from "../ApiSettings.ts"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"
import { versionOf } from "../ifMatch.ts"
import { quotaProblems } from "../quotas.ts"
import { agentVersionView, agentView, deletedAgentView } from "../views/agentView.ts"
import { agentProblems, settingsOf, versionConflict } from "./agentBodies.ts"

const PATH = "/api/v1/agents"

const webhookProblems = { AgentNotFound: notFound, WebhookNotFound: notFound }

/** Agents of the workspace, and their inbound webhooks. Spec: Agents. */
export const layerAgents = HttpApiBuilder.group(
  Api,
  "agents",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* Runs
    const cursors = yield* makeCursors
    const idempotencyOf = yield* makeIdempotencyOf
    const { baseUrl } = yield* ApiSettings

    const urlOf = (agentId: AgentId, token: Redacted.Redacted): string =>
      `${baseUrl}/api/v1/hooks/${agentId}/${Redacted.value(token)}`

    return handlers.handleAll({
      listAgents: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* workspaceCaller
        const scope = { route: `GET ${PATH}`, owner: caller.workspaceId, filters: {} }
        return yield* cursors.page(scope, query, (page) => runs.listAgents({ caller, page }), agentView)
      }),

      createAgent: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* workspaceCaller
        const created = yield* runs
          .createAgent({
            ...settingsOf(payload),
            caller,
            name: payload.name,
            recipe: payload.recipe,
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.workspaceId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              ...quotaProblems,
              ...agentProblems(payload),
              AgentNotFound: notFound
            })
          )
        return creation(agentView(created.value, created.value.endpointSecret), created.replayed)
      }),

      getAgent: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const found = yield* runs
          .readAgent({ caller, agentId: yield* idOf(AgentId, params.agent_id) })
          .pipe(Effect.catchTag("AgentNotFound", notFound))
        return agentView(found)
      }),

      listAgentVersions: Effect.fnUntraced(function* ({ params, query }) {
        const caller = yield* workspaceCaller
        const agentId = yield* idOf(AgentId, params.agent_id)
        const scope = { route: `GET ${PATH}/${agentId}/versions`, owner: caller.workspaceId, filters: {} }
        return yield* cursors
          .page(scope, query, (page) => runs.listAgentVersions({ caller, agentId, page }), agentVersionView)
          .pipe(Effect.catchTag("AgentNotFound", notFound))
      }),

      updateAgent: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const caller = yield* workspaceCaller
        const written = yield* runs
          .updateAgent({
            caller,
            agentId: yield* idOf(AgentId, params.agent_id),
            settings: settingsOf(payload),
            version: versionOf(headers)
          })
          .pipe(
            Effect.catchTags({
              ...agentProblems(payload),
              AgentNotFound: notFound,
              AgentVersionConflict: versionConflict
            })
          )
        return agentView(written, written.endpointSecret)
      }),

      deleteAgent: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const agent = yield* runs
          .archiveAgent({ caller, agentId: yield* idOf(AgentId, params.agent_id) })
          .pipe(Effect.catchTag("AgentNotFound", notFound))
        return deletedAgentView(agent)
      }),

      createAgentWebhook: Effect.fnUntraced(function* ({ headers, params, payload, request }) {
        const caller = yield* workspaceCaller
        const agentId = yield* idOf(AgentId, params.agent_id)
        const route = `POST /api/v1/agents/${agentId}/webhooks`
        const created = yield* runs
          .createWebhook({
            caller,
            agentId,
            verification: payload.verification,
            secret: payload.secret == null ? undefined : Redacted.make(payload.secret),
            map: payload.map ?? null,
            idempotency: yield* idempotencyOf(route, caller.workspaceId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              ...webhookProblems,
              WebhookSecretUnusable: ({ detail }) => invalid("/secret", detail)
            })
          )
        const { secrets, webhook } = created.value
        const secret = secrets?.secret ?? null
        const body = {
          ...webhook,
          url: secrets === null ? null : urlOf(agentId, secrets.token),
          secret: secret === null ? null : Redacted.value(secret)
        }
        return creation(body, created.replayed)
      }),

      deleteAgentWebhook: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const { agentId, deletedAt } = yield* runs
          .deleteWebhook({ caller, agentId: yield* idOf(AgentId, params.agent_id) })
          .pipe(Effect.catchTags(webhookProblems))
        return { agentId, status: "deleted" as const, deletedAt }
      })
    })
  })
)
