import { Context, Effect, Exit, Layer, Schema, type Scope, type Stream } from "effect"

/** A URL that may not be called: not HTTPS, with credentials, not resolvable, or not at a public address. */
export class UrlNotPublic extends Schema.TaggedError<UrlNotPublic>()("UrlNotPublic", {
  /** The reason, in a sentence that can be shown to the caller. */
  detail: Schema.String
}) {}

/** Why a request got no response. */
export const RequestFailure = Schema.Literals([
  "address_refused",
  "dns_failed",
  "connect_failed",
  "tls_failed",
  "connection_lost",
  "protocol_error",
  "timeout",
  "too_large"
])
export type RequestFailure = typeof RequestFailure.Type

/** The request got no whole response. */
export class RequestFailed extends Schema.TaggedError<RequestFailed>()("RequestFailed", {
  reason: RequestFailure,
  /** A sentence without secrets, at most 256 characters. */
  detail: Schema.String,
  remoteAddress: Schema.NullOr(Schema.String),
  durationMillis: Schema.Number
}) {}

/**
 * The use of a request. An operator may admit targets beside public addresses over HTTPS for each of them:
 * deliveries of webhooks, agents of the recipe `http`, providers of models, tools that call addresses, servers of tools, and
 * images and files at addresses that callers send.
 */
export const EgressPurpose = Schema.Literals(["webhooks", "agents", "providers", "tools", "mcp", "content"])
export type EgressPurpose = typeof EgressPurpose.Type

/** A request with a response that is read whole. */
export interface OutgoingRequest {
  readonly purpose: EgressPurpose
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** The time for name look-up, connect, TLS, headers and body together. */
  readonly deadlineMillis: number
  /** How much of the decompressed response is read; the rest is cut off and the request still succeeds. */
  readonly readBytesMax: number
}

/** A response of any status, read up to the bound of its request. */
export interface IncomingResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly remoteAddress: string | null
  readonly durationMillis: number
}

/** A request with a response that is read as it comes. */
export interface StreamRequest extends Omit<OutgoingRequest, "readBytesMax"> {
  /** The time for name look-up, connect, TLS, headers and the whole body together. */
  readonly deadlineMillis: number
  /** The longest wait for the response to begin, and then for its next piece. */
  readonly silenceMillis: number
  /** Most bytes of the body; a longer one fails as `too_large`. */
  readonly bytesMax: number
}

/** A response that has begun. */
export interface StreamedResponse extends Omit<IncomingResponse, "body" | "durationMillis"> {
  /**
   * The body as it comes, to be read once. It ends only when it is whole by what its headers say; a body that is cut
   * off, too large, too slow or silent fails. A slow reader holds the sender back.
   */
  readonly body: Stream.Stream<Uint8Array, RequestFailed>
}

/**
 * Sends requests to the outside: to public addresses over HTTPS and to what the operator admits for their purpose, checked on
 * every new connection. Never called inside a transaction. Held by `egressContract`.
 */
export class Egress extends Context.Service<
  Egress,
  {
    /** Admits a URL for later requests of this purpose: parses it, resolves its host and judges each address by their rules. */
    readonly admit: (url: string, purpose: EgressPurpose) => Effect.Effect<void, UrlNotPublic>
    /** Sends one request. Redirects are not followed; any status is a response. */
    readonly send: (request: OutgoingRequest) => Effect.Effect<IncomingResponse, RequestFailed>
    /**
     * Begins a request by the rules of `send` and does not wait for it: for callers with very many, without a fiber or an
     * effect each. `ended` is called once with the outcome, possibly before `begin` has returned. The function that it returns
     * cancels the request, and `ended` is not called any more; once the request has ended, that does nothing.
     */
    readonly begin: (
      request: OutgoingRequest,
      ended: (exit: Exit.Exit<IncomingResponse, RequestFailed>) => void
    ) => () => void
    /**
     * Sends one request and succeeds once its response has begun, under the same guard. Closing the scope ends it, and the
     * peer sees its connection closed. Redirects are not followed; any status is a response; the body is not compressed.
     */
    readonly stream: (request: StreamRequest) => Effect.Effect<StreamedResponse, RequestFailed, Scope.Scope>
  }
>()("@agent-platform/kernel/Egress") {
  /** For hosts that call nobody: no URL is admitted, and every request fails. */
  static readonly layerNone: Layer.Layer<Egress> = Layer.sync(Egress, () => {
    const detail = "Nothing is sent to the outside here: this is Egress.layerNone"
    const failed = new RequestFailed({ reason: "address_refused", detail, remoteAddress: null, durationMillis: 0 })
    return Egress.of({
      admit: () => Effect.fail(new UrlNotPublic({ detail })),
      send: () => Effect.fail(failed),
      begin: (_request, ended) => {
        ended(Exit.fail(failed))
        return () => undefined
      },
      stream: () => Effect.fail(failed)
    })
  })
}
