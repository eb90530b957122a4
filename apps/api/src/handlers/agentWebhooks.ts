/** The inbound webhooks of agents. Spec: Agents. */
import type { hooks as contract } from "@agent-platform/contract"
import { AgentId, Runs } from "@agent-platform/runs"
import { Effect, Redacted } from "effect"
import { ApiSettings } from "../ApiSettings.ts"
import { workspaceCaller } from "../callers.ts"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { type Creating, creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"

interface WithAgent {
  readonly params: { readonly agent_id: string }
}

interface CreateCall extends WithAgent, Creating {
  readonly payload: (typeof contract.NewAgentWebhook)["Type"]
}

const problems = { AgentNotFound: notFound, WebhookNotFound: notFound }

/** The handlers that create and delete an agent's inbound URL. */
export const makeAgentWebhookHandlers = Effect.gen(function* () {
  const runs = yield* Runs
  const idempotencyOf = yield* makeIdempotencyOf
  const { baseUrl } = yield* ApiSettings

  const urlOf = (agentId: AgentId, token: Redacted.Redacted): string =>
    `${baseUrl}/api/v1/hooks/${agentId}/${Redacted.value(token)}`

  return {
    createAgentWebhook: Effect.fnUntraced(function* ({ headers, params, payload, request }: CreateCall) {
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
            ...problems,
            WebhookSecretUnusable: ({ detail }) => invalid("/secret", detail)
          })
        )
      const { secrets, webhook } = created.value
      const secret = secrets?.secret ?? null
      const body = {
        agentId,
        url: secrets === null ? null : urlOf(agentId, secrets.token),
        secret: secret === null ? null : Redacted.value(secret),
        verification: webhook.verification,
        map: webhook.map,
        createdAt: webhook.createdAt
      }
      return creation(body, created.replayed)
    }),

    deleteAgentWebhook: Effect.fnUntraced(function* ({ params }: WithAgent) {
      const caller = yield* workspaceCaller
      const { agentId, deletedAt } = yield* runs
        .deleteWebhook({ caller, agentId: yield* idOf(AgentId, params.agent_id) })
        .pipe(Effect.catchTags(problems))
      return { agentId, status: "deleted" as const, deletedAt }
    })
  }
})
