/** The URLs at which other services trigger agents. Spec: Inbound hooks. */
import { Api, bodyLimitOf, Unauthorized } from "@agent-platform/contract"
import { AgentId, Runs } from "@agent-platform/runs"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { idempotencyProblems, invalid, notFound, unavailable } from "../edge/problems.ts"
import { readBody } from "../edge/readBody.ts"
import { idOf } from "../ids.ts"
import { parseHook } from "./hookBodies.ts"
import { acceptanceProblems, inputProblems } from "./runProblems.ts"

const signatureInvalid = (detail: string) => new Unauthorized({ code: "signature_invalid", detail })

/** Handlers of inbound URLs. The token in the URL is the credential, so no response and no log repeats it. */
export const layerHooks = HttpApiBuilder.group(
  Api,
  "hooks",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* Runs
    return handlers.handleAll({
      receiveHook: Effect.fnUntraced(function* ({ endpoint, params, request }) {
        const { value: run } = yield* runs
          .receiveWebhook({
            agentId: yield* idOf(AgentId, params.agent_id),
            token: Redacted.make(params.token),
            headers: request.headers,
            read: Effect.map(readBody(request, bodyLimitOf(endpoint) ?? 0), (bytes) => new Uint8Array(bytes)),
            parse: (raw) => parseHook(request, raw)
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              ...acceptanceProblems,
              ...inputProblems,
              WebhookNotFound: notFound,
              WebhookSignatureInvalid: ({ detail }) => signatureInvalid(detail),
              WebhookInputTooLarge: ({ limitBytes }) =>
                invalid("", `maps to an input of more than ${limitBytes} bytes`),
              // The sender tries again later, and by then the operator may have registered the recipe.
              RecipeUnknown: () => unavailable("The agent's recipe is not registered here")
            })
          )
        return { runId: run.id, sessionId: run.sessionId }
      })
    })
  })
)
