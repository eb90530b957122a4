/** The error body, RFC 9457 `application/problem+json`, as one class a status. */
import { Effect, Schema } from "effect"
import { codesOf } from "./problemCodes.ts"

/** One fault of a request. */
export const ProblemIssue = Schema.Struct({
  pointer: Schema.String.annotate({
    description: "Where: a JSON pointer into the body, `?name` for a query parameter, a header's name otherwise"
  }),
  code: Schema.Literals(["required", "unknown_parameter", "invalid_type", "invalid_value"]),
  detail: Schema.String.annotate({ description: "The fault, for people" })
}).annotate({ identifier: "ProblemIssue", description: "One fault of a request" })
export type ProblemIssue = typeof ProblemIssue.Type

const text = (description: string, format?: string) =>
  Schema.String.annotate({ description, ...(format === undefined ? {} : { format }) }).pipe(
    Schema.withConstructorDefault(Effect.succeed(""))
  )

/**
 * The members of a problem. Code that fails with one gives `code`, `detail` and perhaps `errors`; what depends on the
 * request (`instance`, `request_id`) and on the code (`type`, `title`, `retryable`) is filled in as it is answered.
 */
const members = <const Status extends number>(status: Status) => ({
  type: text("The page about this code", "uri"),
  title: text("The code in words"),
  status: Schema.Literal(status).pipe(Schema.withConstructorDefault(Effect.succeed(status))),
  detail: Schema.String.annotate({ description: "The explanation, for people" }),
  instance: text(
    "The path of the request. A parameter in it that is neither an id nor a plain word is shown by its name, as `{run_id}`; a path " +
      "that the API does not have is shown as `/`"
  ),
  code: Schema.Literals(codesOf(status)).annotate({ description: "The kind of problem, for programs: a closed set" }),
  request_id: text("The request's id, as in the header X-Request-Id"),
  retryable: Schema.Boolean.annotate({ description: "Whether the same request may succeed later" }).pipe(
    Schema.withConstructorDefault(Effect.succeed(false))
  ),
  errors: Schema.optionalKey(Schema.Array(ProblemIssue))
})

const annotations = (status: number, description: string) => ({
  httpApiStatus: status,
  description,
  "~httpApiEncoding": { _tag: "Json" as const, contentType: "application/problem+json" }
})

/** The class of a status, as `Schema.Error` makes one. By two calls: `Self` is given, `Status` is inferred. */
const problem =
  <Self>(identifier: string) =>
  <const Status extends number>(status: Status, description: string) =>
    Schema.Error<Self>(identifier)(members(status), annotations(status, description))

/** 400: the request cannot be understood, or lacks what every request of its kind has. */
export class BadRequest extends problem<BadRequest>("BadRequest")(400, "The request cannot be understood") {
  readonly _tag = "BadRequest"
}

/** 401: who calls is not known, or not accepted any more. */
export class Unauthorized extends problem<Unauthorized>("Unauthorized")(
  401,
  "The credential is missing or not accepted"
) {
  readonly _tag = "Unauthorized"
}

/** 402: the workspace or the run may not spend so much. */
export class PaymentRequired extends problem<PaymentRequired>("PaymentRequired")(
  402,
  "A spend cap is reached, or leaves too little"
) {
  readonly _tag = "PaymentRequired"
}

/** 403: the caller is known and may not do this. */
export class Forbidden extends problem<Forbidden>("Forbidden")(403, "The credential may not do this") {
  readonly _tag = "Forbidden"
}

/** 404: nothing that the caller can see; unknown, malformed and foreign ids answer alike. */
export class NotFound extends problem<NotFound>("NotFound")(
  404,
  "Nothing that the caller can see: unknown, malformed and foreign ids answer alike"
) {
  readonly _tag = "NotFound"
}

/** 405: the address takes other methods, which the header Allow lists. */
export class MethodNotAllowed extends problem<MethodNotAllowed>("MethodNotAllowed")(
  405,
  "The address takes other methods"
) {
  readonly _tag = "MethodNotAllowed"
}

/** 406: none of the formats that the caller accepts. */
export class NotAcceptable extends problem<NotAcceptable>("NotAcceptable")(
  406,
  "None of the formats that the header Accept admits"
) {
  readonly _tag = "NotAcceptable"
}

/** 408: the request did not arrive in time. */
export class RequestTimeout extends problem<RequestTimeout>("RequestTimeout")(408, "The body did not arrive in time") {
  readonly _tag = "RequestTimeout"
}

/** 409: the present state does not allow it. */
export class Conflict extends problem<Conflict>("Conflict")(409, "The present state does not allow this") {
  readonly _tag = "Conflict"
}

/** 413: the body is larger than the operation takes. */
export class ContentTooLarge extends problem<ContentTooLarge>("ContentTooLarge")(
  413,
  "The body is larger than this operation takes"
) {
  readonly _tag = "ContentTooLarge"
}

/** 415: the body is not sent as JSON. */
export class UnsupportedMediaType extends problem<UnsupportedMediaType>("UnsupportedMediaType")(
  415,
  "The body is not sent as JSON"
) {
  readonly _tag = "UnsupportedMediaType"
}

/** The answer of a model provider, only beside the code `provider_rejected_key`. RFC 9457, 3.2. */
const providerMembers = {
  provider_status: Schema.optionalKey(
    Schema.NullOr(Schema.Int).annotate({
      description: "With provider_rejected_key: the status that the model provider answered"
    })
  ),
  provider_code: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description:
        "With provider_rejected_key: the model provider's own code; null where it gave none that can be shown"
    })
  )
}

/** 422: the request breaks rules of its operation; `errors` lists all of them. */
export class UnprocessableContent extends Schema.Error<UnprocessableContent>("UnprocessableContent")(
  { ...members(422), ...providerMembers },
  annotations(422, "The request breaks rules of this operation")
) {
  readonly _tag = "UnprocessableContent"
}

/** 429: a limit is reached for now. */
export class TooManyRequests extends problem<TooManyRequests>("TooManyRequests")(429, "A limit is reached for now") {
  readonly _tag = "TooManyRequests"
}

/** 431: address and headers together are larger than 16 KiB. */
export class HeadersTooLarge extends problem<HeadersTooLarge>("HeadersTooLarge")(
  431,
  "The headers are larger than 16 KiB"
) {
  readonly _tag = "HeadersTooLarge"
}

/** 500: the fault is ours. */
export class InternalError extends problem<InternalError>("InternalError")(500, "The fault is ours") {
  readonly _tag = "InternalError"
}

/** 503: the service cannot answer at the moment. */
export class Unavailable extends problem<Unavailable>("Unavailable")(503, "The service cannot answer at the moment") {
  readonly _tag = "Unavailable"
}

/** Every problem class, one a status. */
export const problemClasses = [
  BadRequest,
  Unauthorized,
  PaymentRequired,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  NotAcceptable,
  RequestTimeout,
  Conflict,
  ContentTooLarge,
  UnsupportedMediaType,
  UnprocessableContent,
  TooManyRequests,
  HeadersTooLarge,
  InternalError,
  Unavailable
] as const

/** Any problem. */
export type Problem = InstanceType<(typeof problemClasses)[number]>

/** Whether a failure is a problem that can be answered as it is. */
export const isProblem = (failure: unknown): failure is Problem =>
  problemClasses.some((problemClass) => failure instanceof problemClass)
