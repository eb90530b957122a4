/** Models for agents of one's own. docs/agents.md, The gateway. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AttemptAuthentication } from "./AttemptAuthentication.ts"
import { Access, BodyLimit, CONTENT_BODY_BYTES_MAX, Formats } from "./access.ts"
import { Conflict, PaymentRequired, TooManyRequests, Unavailable, UnprocessableContent } from "./errors.ts"
import { textStream } from "./formats.ts"
import {
  ChatCompletion,
  ChatCompletionRequest,
  GATEWAY_FORMATS,
  GatewayResponse,
  ResponseRequest
} from "./gatewaySchemas.ts"
import { JsonBody, Strict } from "./middleware.ts"

const errors = [PaymentRequired, Conflict, UnprocessableContent, TooManyRequests, Unavailable] as const

const ABOUT =
  "The model is called with the workspace's provider keys, under its caps and those of the run, and is on its bill and in the run's " +
  "log, as by the recipe `chat`. The call ends with its connection and with the attempt. Problems have a member `error` as well, as " +
  "OpenAI's libraries read it."

/** The group behind `/api/v1/gateway`. */
export class GatewayGroup extends HttpApiGroup.make("gateway")
  .add(
    HttpApiEndpoint.post("createChatCompletion", "/api/v1/gateway/chat/completions", {
      payload: ChatCompletionRequest,
      success: [ChatCompletion, textStream()],
      error: errors
    })
      .middleware(JsonBody)
      .annotate(BodyLimit, CONTENT_BODY_BYTES_MAX)
      .annotate(Access, { reach: "attempt", scope: null })
      .annotate(Formats, GATEWAY_FORMATS)
      .annotate(OpenApi.Summary, "Call a model by chat completions")
      .annotate(
        OpenApi.Description,
        `Calls a model in the shape of OpenAI's chat completions, streamed or not. ${ABOUT}`
      ),
    HttpApiEndpoint.post("createResponse", "/api/v1/gateway/responses", {
      payload: ResponseRequest,
      success: [GatewayResponse, textStream()],
      error: errors
    })
      .middleware(JsonBody)
      .annotate(BodyLimit, CONTENT_BODY_BYTES_MAX)
      .annotate(Access, { reach: "attempt", scope: null })
      .annotate(Formats, GATEWAY_FORMATS)
      .annotate(OpenApi.Summary, "Call a model by responses")
      .annotate(
        OpenApi.Description,
        `Calls a model in the shape of OpenAI's responses, streamed or not. Nothing is kept of it. ${ABOUT}`
      )
  )
  .middleware(Strict)
  .middleware(AttemptAuthentication)
  .annotate(OpenApi.Title, "Gateway")
  .annotate(OpenApi.Description, "Models for agents of one's own") {}
