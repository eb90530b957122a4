/** The tool that makes an HTTP request, through the guard. */
import type { Egress } from "@agent-platform/kernel"
import { Effect, Option, Schema } from "effect"
import { cut, type Tool, toolFailure } from "./Tool.ts"

/** Its name, in an agent's settings and for the model. */
export const HTTP_REQUEST = "http_request"

/** Over look-up, connection, headers and body together, in milliseconds. */
const REQUEST_MILLIS_MAX = 30_000

/** Most bytes of an answer that are read; the rest is cut off, which the model learns. */
const ANSWER_BYTES_MAX = 64 * 1024

/** Most characters of a body that is sent. */
const BODY_LENGTH_MAX = 64 * 1024

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

const Arguments = Schema.Struct({
  method: Schema.optionalKey(Schema.NullOr(Schema.Literals(METHODS))),
  url: Schema.String,
  headers: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String))),
  body: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const decode = Schema.decodeUnknownOption(Arguments)

/** The headers of an answer that a model can use. */
const SHOWN_HEADERS = ["content-type", "location", "retry-after", "etag", "last-modified", "link"]

const FORM =
  `The arguments must be {"method", "url", "headers", "body"}: one of ${METHODS.join(", ")}, a URL, an object of ` +
  `texts, and a text of at most ${BODY_LENGTH_MAX} characters`

/** The tool over a guarded egress. Redirects are not followed; any status is an answer. */
export const makeHttpRequest = (egress: Egress["Service"]): Tool => ({
  name: HTTP_REQUEST,
  description:
    "Makes an HTTP request and gives back status, headers and body. The URL must use https and lead to public addresses, unless the " +
    "operator of this platform admits another. Redirects are not followed. " +
    `At most ${ANSWER_BYTES_MAX} bytes of the body are read.`,
  inputSchema: {
    type: "object",
    properties: {
      method: { type: "string", enum: [...METHODS], description: "GET by default" },
      url: { type: "string" },
      headers: { type: "object", additionalProperties: { type: "string" } },
      body: { type: "string" }
    },
    required: ["url"],
    additionalProperties: false
  },
  call: (input) => {
    const read = Option.getOrUndefined(decode(input))
    if (read === undefined || (read.body?.length ?? 0) > BODY_LENGTH_MAX) return Effect.succeed(toolFailure(FORM))
    return egress
      .send({
        purpose: "tools",
        method: read.method ?? "GET",
        url: read.url,
        headers: read.headers ?? {},
        body: read.body ?? null,
        deadlineMillis: REQUEST_MILLIS_MAX,
        readBytesMax: ANSWER_BYTES_MAX + 1
      })
      .pipe(
        Effect.map(({ body, headers, status }) => {
          const { text, truncated } = cut(new TextDecoder().decode(body.subarray(0, ANSWER_BYTES_MAX)))
          const shown = SHOWN_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))
          const isCut = truncated || body.length > ANSWER_BYTES_MAX
          return {
            isError: false,
            value: { status, headers: Object.fromEntries(shown), body: text, ...(isCut ? { truncated: true } : {}) },
            truncated: isCut
          }
        }),
        Effect.catchTag("RequestFailed", ({ detail }) => Effect.succeed(toolFailure(`There was no answer: ${detail}`)))
      )
  }
})
