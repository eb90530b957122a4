/** The tool that makes an HTTP request, through the guard. */
import type { Redactor } from "@agent-platform/runs"
import { Effect, Option, Schema } from "effect"
import type { VaultEgress } from "../vault/VaultEgress.ts"
import { cut, type Tool, toolFailure } from "./Tool.ts"

/** Its name, in an agent's settings and for the model. */
export const HTTP_REQUEST = "http_request"

/** Over look-up, connection, headers and body together, in milliseconds. */
const REQUEST_MILLIS_MAX = 30_000

/** Most characters of an answer that the model gets. The rest is cut off, which it learns. */
const ANSWER_LENGTH_MAX = 64 * 1024

/** So much more is read, so that a secret that stands across the end is known as a whole. */
const BEYOND_BYTES = 8 * 1024
/** As many bytes as characters: of text that is not ASCII fewer characters are given. */
const READ_BYTES_MAX = ANSWER_LENGTH_MAX + BEYOND_BYTES

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

/** The text of a body, redacted before it is cut: half of a secret would not be found. */
const textOf = (body: Uint8Array, redactor: Redactor) => {
  const isWhole = body.length < READ_BYTES_MAX
  const text = redactor.known(new TextDecoder().decode(body))
  const shown = cut(isWhole ? text : text.slice(0, -BEYOND_BYTES), ANSWER_LENGTH_MAX)
  return { text: shown.text, isCut: !isWhole || shown.truncated }
}

/** The tool over an egress with the workspace's secrets. Redirects are not followed; any status is an answer. */
export const makeHttpRequest = (egress: VaultEgress, redactor: Redactor): Tool => ({
  name: HTTP_REQUEST,
  wishedName: HTTP_REQUEST,
  origin: HTTP_REQUEST,
  description:
    "Makes an HTTP request and gives back status, headers and body. The URL must use https and lead to public addresses, unless the " +
    "operator of this platform admits another. Redirects are not followed. Credentials that are kept for a host are added by " +
    "themselves: never ask for them. " +
    `At most the first ${ANSWER_LENGTH_MAX} characters of the body are given.`,
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
        readBytesMax: READ_BYTES_MAX
      })
      .pipe(
        Effect.map(({ body, headers, status }) => {
          const { isCut, text } = textOf(body, redactor)
          const shown = SHOWN_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))
          return {
            isError: false,
            value: { status, headers: Object.fromEntries(shown), body: text, ...(isCut ? { truncated: true } : {}) },
            truncated: isCut
          }
        }),
        Effect.catchTags({
          RequestFailed: ({ detail }) => Effect.succeed(toolFailure(`There was no answer: ${detail}`)),
          SecretUnusable: ({ detail }) => Effect.succeed(toolFailure(`Nothing was sent. ${detail}`))
        })
      )
  }
})
