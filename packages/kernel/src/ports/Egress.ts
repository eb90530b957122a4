import { Context, type Effect, Schema } from "effect"

/** A URL that may not be called: not HTTPS, with credentials, not resolvable, or not at a public address. */
export class UrlNotPublic extends Schema.TaggedError<UrlNotPublic>()("UrlNotPublic", {
  /** What is wrong, in a sentence that can be shown to the caller. */
  detail: Schema.String
}) {}

/** Why an exchange brought no answer. */
export const ExchangeFailure = Schema.Literals([
  "address_refused",
  "dns_failed",
  "connect_failed",
  "tls_failed",
  "connection_lost",
  "protocol_error",
  "timeout"
])
export type ExchangeFailure = typeof ExchangeFailure.Type

/** The exchange brought no whole answer. */
export class ExchangeFailed extends Schema.TaggedError<ExchangeFailed>()("ExchangeFailed", {
  reason: ExchangeFailure,
  /** A sentence without secrets, at most 256 characters. */
  detail: Schema.String,
  remoteAddress: Schema.NullOr(Schema.String),
  durationMillis: Schema.Number
}) {}

export interface ExchangeRequest {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** One deadline over name look-up, connect, TLS, headers and body together. */
  readonly deadlineMillis: number
  /** How much of the decompressed answer is read; the rest is cut off and the exchange still succeeds. */
  readonly readBytesMax: number
}

export interface ExchangeAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly remoteAddress: string | null
  readonly durationMillis: number
}

/**
 * The guarded way out of the house: nothing but public addresses over HTTPS, checked on every new connection.
 * Never called inside a transaction. Spec: Webhook endpoint (url).
 */
export class Egress extends Context.Service<
  Egress,
  {
    /** Admits a URL for later use: parses it, resolves its host and demands that every address is public. */
    readonly admit: (url: string) => Effect.Effect<void, UrlNotPublic>
    /** One exchange. Redirects are not followed; any status is an answer. */
    readonly exchange: (request: ExchangeRequest) => Effect.Effect<ExchangeAnswer, ExchangeFailed>
  }
>()("@agent-platform/kernel/Egress") {}
