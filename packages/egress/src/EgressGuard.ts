import {
  Egress,
  type ExchangeAnswer,
  ExchangeFailed,
  type ExchangeRequest,
  type StreamedAnswer,
  type StreamRequest,
  Transaction
} from "@agent-platform/kernel"
import { Clock, Effect, Exit, Layer, Option, Result, type Scope, Stream } from "effect"
import { admitUrl } from "./admission.ts"
import { CONNECTION_MILLIS_MAX, makeConnections } from "./Connections.ts"
import { type Fault, fault, faultFor } from "./failures.ts"
import { makeGuardedConnector } from "./GuardedConnector.ts"
import { type HostResolver, makeNameServerResolver } from "./HostResolver.ts"
import { requestHeaders } from "./requestHeaders.ts"
import { type ReadAnswer, sendRequest } from "./sendRequest.ts"
import { streamAnswer } from "./streamAnswer.ts"
import { parseTarget } from "./Target.ts"

/** How a guard is set up. */
export interface EgressGuardOptions {
  /** Lets `localhost`, 127.0.0.0/8 and [::1] through as well, over http and https. False in production. */
  readonly allowLoopback: boolean
  /** Answers names instead of the machine's name servers. Its answers are checked like any. */
  readonly resolver?: HostResolver | undefined
  /** A certificate authority in PEM that is trusted beside the ones the runtime brings. For tests. */
  readonly ca?: string | undefined
  /** How long a connection is used at most, in milliseconds. The default is `CONNECTION_MILLIS_MAX`. */
  readonly connectionMillisMax?: number | undefined
}

/** No network while a transaction holds its locks: a slow receiver would hold them too. */
const dieInsideTransaction = Effect.flatMap(Effect.serviceOption(Transaction), (transaction) =>
  Option.isNone(transaction) ? Effect.void : Effect.die(new Error("Egress was used inside a transaction"))
)

const make = Effect.fnUntraced(function* (options: EgressGuardOptions) {
  const resolver = options.resolver ?? makeNameServerResolver()
  const context = yield* Effect.context<never>()
  const connector = makeGuardedConnector({ allowLoopback: options.allowLoopback, ca: options.ca, resolver, context })
  const connections = yield* makeConnections(connector, options.connectionMillisMax ?? CONNECTION_MILLIS_MAX)
  const admit = admitUrl(options, resolver)

  const exchange = Effect.fn("Egress.exchange")(function* (
    request: ExchangeRequest
  ): Effect.fn.Return<ExchangeAnswer, ExchangeFailed> {
    yield* dieInsideTransaction
    const clock = yield* Clock.Clock
    const startedAt = clock.monotonicTimeNanosUnsafe()
    const durationMillis = () => Math.round(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e6)
    let remoteAddress: string | null = null
    const failed = (fault: Fault) => new ExchangeFailed({ ...fault, remoteAddress, durationMillis: durationMillis() })

    const target = parseTarget(options, request.url)
    if (Result.isFailure(target)) return yield* failed(fault("address_refused", target.failure))
    const headers = requestHeaders(request.headers)
    if (Result.isFailure(headers)) return yield* failed(headers.failure)

    const answer: ReadAnswer = yield* Effect.acquireUseRelease(
      Effect.sync(() => connections.take(target.success.origin)),
      (connection) =>
        sendRequest(connection, target.success.path, headers.success, request).pipe(
          Effect.timeoutOrElse({
            duration: request.deadlineMillis,
            orElse: () => Effect.fail(faultFor("timeout"))
          })
        ),
      (connection, exit) =>
        Effect.sync(() => {
          remoteAddress = connection.remoteAddress
          connections.giveBack(connection, Exit.isSuccess(exit) && exit.value.reusable)
        })
    ).pipe(Effect.mapError(failed))

    const { body, status } = answer
    return { status, headers: answer.headers, body, remoteAddress, durationMillis: durationMillis() }
  })

  const stream = Effect.fn("Egress.stream")(function* (
    request: StreamRequest
  ): Effect.fn.Return<StreamedAnswer, ExchangeFailed, Scope.Scope> {
    yield* dieInsideTransaction
    const clock = yield* Clock.Clock
    const startedAt = clock.monotonicTimeNanosUnsafe()
    let remoteAddress: string | null = null
    const failed = (fault: Fault) =>
      new ExchangeFailed({
        ...fault,
        remoteAddress,
        durationMillis: Math.round(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e6)
      })

    const target = parseTarget(options, request.url)
    if (Result.isFailure(target)) return yield* failed(fault("address_refused", target.failure))
    const headers = requestHeaders(request.headers)
    if (Result.isFailure(headers)) return yield* failed(headers.failure)
    const answer = yield* streamAnswer(
      connections,
      target.success,
      { ...headers.success, "accept-encoding": "identity" },
      request
    ).pipe(Effect.mapError(failed))
    remoteAddress = answer.connection.remoteAddress
    const { body, status } = answer
    return { status, headers: answer.headers, remoteAddress, body: Stream.mapError(body, failed) }
  })

  return Egress.of({ admit: (url) => Effect.andThen(dieInsideTransaction, admit(url)), exchange, stream })
})

/**
 * The kernel's `Egress` over undici: one exchange with one deadline, to checked addresses only. All methods die when
 * they find an open `Transaction`. When the layer's scope closes, every connection is destroyed and what is under way
 * fails with `connection_lost` or `connect_failed`.
 */
export const EgressGuard = {
  layer: (options: EgressGuardOptions): Layer.Layer<Egress> => Layer.effect(Egress, make(options))
} as const
