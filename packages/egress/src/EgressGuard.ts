import {
  Egress,
  type ExchangeAnswer,
  ExchangeFailed,
  type ExchangeRequest,
  type StreamedAnswer,
  type StreamRequest,
  Transaction
} from "@agent-platform/kernel"
import { Clock, Effect, Layer, Option, Result, type Scope, Stream } from "effect"
import { admitUrl } from "./admission.ts"
import { CONNECTION_MILLIS_MAX, makeConnections } from "./Connections.ts"
import { makeDeadlines } from "./Deadlines.ts"
import { type Fault, fault, faultFor } from "./failures.ts"
import { makeGuardedConnector } from "./GuardedConnector.ts"
import { type HostResolver, makeNameServerResolver } from "./HostResolver.ts"
import { requestHeaders } from "./requestHeaders.ts"
import { type ReadAnswer, sendRequest } from "./sendRequest.ts"
import { streamAnswer } from "./streamAnswer.ts"
import { type HostPolicy, parseTarget, type Target } from "./Target.ts"

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

interface Exchanged {
  readonly answer: ReadAnswer
  readonly remoteAddress: string | null
}

interface FailedExchange {
  readonly fault: Fault
  readonly remoteAddress: string | null
}

/** No network while a transaction holds its locks: a slow receiver would hold them too. */
const dieInsideTransaction = Effect.flatMap(Effect.serviceOption(Transaction), (transaction) =>
  Option.isNone(transaction) ? Effect.void : Effect.die(new Error("Egress was used inside a transaction"))
)

/** URLs whose reading is remembered: as many as a busy worker has endpoints. */
const TARGETS_MAX = 4_096

/** `parseTarget` that remembers what it read, since the same few URLs come again and again. */
const rememberingTargets = (policy: HostPolicy) => {
  const targets = new Map<string, ReturnType<typeof parseTarget>>()
  return (url: string) => {
    const known = targets.get(url)
    if (known !== undefined) return known
    const target = parseTarget(policy, url)
    if (targets.size >= TARGETS_MAX) targets.clear()
    targets.set(url, target)
    return target
  }
}

const make = Effect.fnUntraced(function* (options: EgressGuardOptions) {
  const resolver = options.resolver ?? makeNameServerResolver()
  const context = yield* Effect.context<never>()
  const connector = makeGuardedConnector({ allowLoopback: options.allowLoopback, ca: options.ca, resolver, context })
  const connections = yield* makeConnections(connector, options.connectionMillisMax ?? CONNECTION_MILLIS_MAX)
  const deadlines = yield* makeDeadlines()
  const targetOf = rememberingTargets(options)
  const admit = admitUrl(options, resolver)

  const overConnection = (target: Target, headers: ReadonlyArray<string>, request: ExchangeRequest) =>
    Effect.callback<Exchanged, FailedExchange>((resume) => {
      const connection = connections.take(target.origin)
      let over = false
      const end = (reusable: boolean) => {
        over = true
        callOff()
        const { remoteAddress } = connection
        connections.giveBack(connection, reusable)
        return remoteAddress
      }
      const fail = (fault: Fault) => {
        if (!over) resume(Effect.fail({ fault, remoteAddress: end(false) }))
      }
      const callOff = deadlines.add(request.deadlineMillis, () => {
        silence()
        fail(faultFor("timeout"))
      })
      const silence = sendRequest(connection, target.path, headers, request, {
        answered: (answer) => {
          if (!over) resume(Effect.succeed({ answer, remoteAddress: end(answer.reusable) }))
        },
        failed: fail
      })
      return Effect.sync(() => {
        silence()
        if (!over) end(false)
      })
    })

  const exchange = Effect.fnUntraced(function* (
    request: ExchangeRequest
  ): Effect.fn.Return<ExchangeAnswer, ExchangeFailed> {
    yield* dieInsideTransaction
    const clock = yield* Clock.Clock
    const startedAt = clock.monotonicTimeNanosUnsafe()
    const durationMillis = () => Math.round(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e6)
    const failed = ({ fault, remoteAddress }: FailedExchange) =>
      new ExchangeFailed({ ...fault, remoteAddress, durationMillis: durationMillis() })

    const target = targetOf(request.url)
    if (Result.isFailure(target)) {
      return yield* failed({ fault: fault("address_refused", target.failure), remoteAddress: null })
    }
    const headers = requestHeaders(request.headers)
    if (Result.isFailure(headers)) return yield* failed({ fault: headers.failure, remoteAddress: null })

    const exchanged = yield* Effect.mapError(overConnection(target.success, headers.success, request), failed)
    const { body, headers: answered, status } = exchanged.answer
    return {
      status,
      headers: answered,
      body,
      remoteAddress: exchanged.remoteAddress,
      durationMillis: durationMillis()
    }
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
    // Pieces are handed on as they come, so nothing may have to be decoded.
    const headers = requestHeaders(request.headers, "identity")
    if (Result.isFailure(headers)) return yield* failed(headers.failure)
    const answer = yield* streamAnswer(connections, target.success, headers.success, request).pipe(
      Effect.mapError(failed)
    )
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
