/** Where agents of one's own call the platform while they execute a run. docs/agents.md, An agent of your own. */
import { CALLBACK_LINES_MAX } from "@agent-platform/runs"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Access, BodyLimit, RUN_BODY_BYTES_MAX } from "./access.ts"
import { CallbackReceipt } from "./attemptSchemas.ts"
import {
  BadRequest,
  Conflict,
  ContentTooLarge,
  NotFound,
  RequestTimeout,
  Unauthorized,
  UnprocessableContent,
  UnsupportedMediaType
} from "./errors.ts"
import { id } from "./formats.ts"
import { Strict } from "./middleware.ts"

/** The body is looked at once its signature is verified, so the endpoint itself decodes none. */
const documentBody = (operation: Record<string, unknown>): Record<string, unknown> => ({
  ...operation,
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: {
          type: "object",
          required: ["attempt", "lines"],
          additionalProperties: false,
          properties: {
            attempt: { type: "integer", description: "The `attempt` of the request to the agent" },
            lines: {
              type: "array",
              maxItems: CALLBACK_LINES_MAX,
              items: { $ref: "#/components/schemas/NewLine" },
              description: "The lines of the agent's answer, the last of which ends the run"
            }
          },
          examples: [{ attempt: 1, lines: [{ type: "result", result: { refund: "12.50" }, message: "Refunded." }] }]
        }
      }
    }
  }
})

/** The group of the calls of agents. */
export class AttemptsGroup extends HttpApiGroup.make("attempts")
  .add(
    HttpApiEndpoint.post("receiveCallback", "/api/v1/runs/:run_id/callback", {
      params: { run_id: id("The run's id") },
      success: CallbackReceipt,
      error: [
        BadRequest,
        Unauthorized,
        NotFound,
        RequestTimeout,
        Conflict,
        ContentTooLarge,
        UnsupportedMediaType,
        UnprocessableContent
      ]
    })
      .annotate(BodyLimit, RUN_BODY_BYTES_MAX)
      .annotate(Access, { reach: "public", scope: null })
      .annotate(OpenApi.Transform, documentBody)
      .annotate(OpenApi.Summary, "End a run as its agent")
      .annotate(
        OpenApi.Description,
        "Takes the answer of an agent of one's own that has answered its request with 202. Signed with the agent's signing " +
          "secret by Standard Webhooks, as the request was: `webhook-id`, `webhook-timestamp`, not older than 5 minutes, and " +
          "`webhook-signature`. Any other signature is 401, and so is an unknown run; 404 is for an address that is too long to be one. An attempt that does not last any more is 409 " +
          "`callback_not_awaited`, and nothing changes: the run has ended, by an earlier callback, or it is executed by another attempt."
      )
  )
  .middleware(Strict)
  .annotate(OpenApi.Title, "Agents of one's own")
  .annotate(OpenApi.Description, "Where agents call the platform while they execute a run") {}
