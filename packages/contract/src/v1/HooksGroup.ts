/** Where others set agents going. The URL is the credential. Spec: What the service does 8. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Access, BodyLimit, RUN_BODY_BYTES_MAX } from "./access.ts"
import {
  Conflict,
  ContentTooLarge,
  NotFound,
  PaymentRequired,
  RequestTimeout,
  TooManyRequests,
  Unauthorized,
  UnprocessableContent,
  UnsupportedMediaType
} from "./errors.ts"
import { id, text } from "./formats.ts"
import { HookReceipt } from "./inboundWebhooks.ts"
import { Strict } from "./middleware.ts"

const body = {
  description: "The sender's body: JSON, or a form of up to 1,000 fields",
  required: true,
  content: {
    "application/json": { schema: {} },
    "application/x-www-form-urlencoded": { schema: { type: "object" } }
  }
}

/** The body is the sender's own: no schema of ours reads it. */
const documentBody = (operation: Record<string, unknown>): Record<string, unknown> => ({
  ...operation,
  requestBody: body
})

/** The group behind `/api/v1/hooks`, which takes no credential but its URL. */
export class HooksGroup extends HttpApiGroup.make("hooks")
  .add(
    HttpApiEndpoint.post("receiveHook", "/api/v1/hooks/:agent_id/:token", {
      params: { agent_id: id("The agent's id"), token: text("The token of the agent's inbound URL") },
      headers: {
        "idempotency-key": Schema.optionalKey(
          Schema.String.annotate({
            description:
              "Where nothing is verified: 1 to 255 visible characters that make a repetition of the request known as one. " +
              "Elsewhere the sender's event id does, or the body"
          }).check(
            Schema.isPattern(/^[\x21-\x7e]{1,255}$/u, { message: "must have 1 to 255 visible ASCII characters" })
          )
        )
      },
      success: HookReceipt.pipe(HttpApiSchema.status(202)),
      error: [
        Unauthorized,
        NotFound,
        PaymentRequired,
        RequestTimeout,
        Conflict,
        ContentTooLarge,
        UnsupportedMediaType,
        UnprocessableContent,
        TooManyRequests
      ]
    })
      .annotate(BodyLimit, RUN_BODY_BYTES_MAX)
      .annotate(Access, { reach: "public", scope: null })
      .annotate(OpenApi.Transform, documentBody)
      .annotate(OpenApi.Summary, "Trigger a run by an inbound webhook")
      .annotate(
        OpenApi.Description,
        "Accepts a request of a sender that knows the URL, checks its signature as the webhook says, and triggers one " +
          "run per event. Answers 404 from the moment that the URL is replaced or deleted."
      )
  )
  .middleware(Strict)
  .annotate(OpenApi.Title, "Inbound webhooks")
  .annotate(OpenApi.Description, "Where others set agents going") {}
