import { Context, type Effect, type Exit, Schema, type Scope, type Stream } from "effect"

/** A URL that may not be called: not HTTPS, with credentials, not resolvable, or not at a public address. */
export class UrlNotPublic extends Schema.TaggedError<UrlNotPublic>()("UrlNotPublic", {
  /** The reason, in a sentence that can be shown to the caller. */
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
  "timeout",
  "too_large"
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
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
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

export interface StreamRequest extends Omit<ExchangeRequest, "readBytesMax"> {
  /** One deadline over name look-up, connect, TLS, headers and the whole body together. */
  readonly deadlineMillis: number
  /** The longest wait for the answer to begin, and then for its next piece. */
  readonly silenceMillis: number
  /** Most bytes of the body; a longer one fails as `too_large`. */
  readonly bytesMax: number
}

/** An answer that has begun. */
export interface StreamedAnswer extends Omit<ExchangeAnswer, "body" | "durationMillis"> {
  /**
   * The body as it comes, to be read once. It ends only when it is whole by what its headers say; a body that is cut
   * off, too large, too slow or silent fails. A slow reader holds the sender back.
   */
  readonly body: Stream.Stream<Uint8Array, ExchangeFailed>
}

/**
 * The guarded way out of the house: nothing but public addresses over HTTPS, checked on every new connection.
 * Never called inside a transaction.
 */
export class Egress extends Context.Service<
  Egress,
  {
    /** Admits a URL for later use: parses it, resolves its host and demands that every address is public. */
    readonly admit: (url: string) => Effect.Effect<void, UrlNotPublic>
    /** One exchange. Redirects are not followed; any status is an answer. */
    readonly exchange: (request: ExchangeRequest) => Effect.Effect<ExchangeAnswer, ExchangeFailed>
    /**
     * Begins an exchange by the rules of `exchange` and does not wait for it: for who makes very many, without a fiber
     * or an effect each. `ended` is told once what came of it, possibly before `begin` is done. The function it answers
     * calls the exchange off, and nothing is told of it any more; once it has ended, that does nothing.
     */
    readonly begin: (
      request: ExchangeRequest,
      ended: (exit: Exit.Exit<ExchangeAnswer, ExchangeFailed>) => void
    ) => () => void
    /**
     * One exchange whose answer is read as it comes, under the same guard. Closing the scope ends it, and the peer sees
     * its connection closed. Redirects are not followed; any status is an answer; the body is not compressed.
     */
    readonly stream: (request: StreamRequest) => Effect.Effect<StreamedAnswer, ExchangeFailed, Scope.Scope>
  }
>()("@agent-platform/kernel/Egress") {}
