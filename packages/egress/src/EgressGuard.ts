import {
  Egress,
  type EgressPurpose,
  type IncomingResponse,
  type OutgoingRequest,
  RequestFailed,
  type StreamedResponse,
  type StreamRequest,
  Transaction
} from "@agent-platform/kernel"
import { Clock, Context, Effect, Fiber, Layer, Option, Result, type Scope, Stream } from "effect"
import type { AllowedTarget } from "./AllowedTarget.ts"
import { admitUrl } from "./admission.ts"
import { CONNECTION_MILLIS_MAX, makeConnections } from "./Connections.ts"
import { makeDeadlines } from "./Deadlines.ts"
import { type ClosedPorts, type EgressPolicy, NONE_CLOSED } from "./EgressPolicy.ts"
import { type Fault, fault } from "./failures.ts"
import { makeGuardedConnector, makeSecureContext } from "./GuardedConnector.ts"
import { type HostResolver, makeNameServerResolver } from "./HostResolver.ts"
import { requestHeaders } from "./requestHeaders.ts"
import { makeRequests } from "./requests.ts"
import { streamAnswer } from "./streamAnswer.ts"
import { parseTarget } from "./Target.ts"

/** How a guard is set up. */
export interface EgressGuardOptions {
  /** Admits `localhost`, 127.0.0.0/8 and [::1] for every purpose, over http and https. False in production. */
  readonly allowLoopback: boolean
  /** The targets that are admitted for a purpose beside public addresses over HTTPS: nothing where it is not named. */
  readonly allow?: Partial<Readonly<Record<EgressPurpose, ReadonlyArray<AllowedTarget>>>> | undefined
  /** Ports that stay closed for whatever only these options admit; none unless given. */
  readonly closedPorts?: ClosedPorts | undefined
  /** Resolves names instead of the machine's name servers. Its addresses are checked like any. */
  readonly resolver?: HostResolver | undefined
  /** A certificate authority in PEM that is trusted beside those of the runtime. For tests. */
  readonly ca?: string | undefined
  /** How long a connection is used at most, in milliseconds. The default is `CONNECTION_MILLIS_MAX`. */
  readonly connectionMillisMax?: number | undefined
}

const isInTransaction = (context: Context.Context<never>) => Option.isSome(Context.getOption(context, Transaction))
const inTransaction = () => new Error("Egress was used inside a transaction")

/** Dies inside a transaction: a slow receiver would make it hold its locks for as long. */
const outsideTransaction = <A, E, R>(effect: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.contextWith((context: Context.Context<never>) =>
    isInTransaction(context) ? Effect.die(inTransaction()) : effect()
  )

const make = Effect.fnUntraced(function* (options: EgressGuardOptions) {
  const resolver = options.resolver ?? makeNameServerResolver()
  const context = yield* Effect.context<never>()
  const secureContext = makeSecureContext(options.ca)
  const deadlines = yield* makeDeadlines()
  const clock = yield* Clock.Clock

  // A guard for each purpose, with connections of its own: one that was opened under another policy must not be reused.
  const makeGuard = Effect.fnUntraced(function* (purpose: EgressPurpose) {
    const policy: EgressPolicy = {
      allowLoopback: options.allowLoopback,
      allowed: options.allow?.[purpose] ?? [],
      closedPorts: options.closedPorts ?? NONE_CLOSED
    }
    const connector = makeGuardedConnector({ policy, secureContext, resolver, context })
    const connections = yield* makeConnections(connector, options.connectionMillisMax ?? CONNECTION_MILLIS_MAX)
    return {
      policy,
      connections,
      admit: admitUrl(policy, resolver),
      begin: makeRequests({ policy, connections, deadlines, clock })
    }
  })
  const guards: Readonly<Record<EgressPurpose, Effect.Success<ReturnType<typeof makeGuard>>>> = {
    webhooks: yield* makeGuard("webhooks"),
    agents: yield* makeGuard("agents"),
    providers: yield* makeGuard("providers"),
    tools: yield* makeGuard("tools"),
    mcp: yield* makeGuard("mcp"),
    content: yield* makeGuard("content")
  }

  const send = (request: OutgoingRequest) =>
    outsideTransaction(() =>
      Effect.callback<IncomingResponse, RequestFailed>((resume) => {
        const callOff = guards[request.purpose].begin(request, resume)
        return Effect.sync(callOff)
      })
    )

  const openStream = Effect.fn("Egress.stream")(function* (
    request: StreamRequest
  ): Effect.fn.Return<StreamedResponse, RequestFailed, Scope.Scope> {
    const startedAt = clock.monotonicTimeNanosUnsafe()
    let remoteAddress: string | null = null
    const failed = (why: Fault) =>
      new RequestFailed({
        ...why,
        remoteAddress,
        durationMillis: Math.round(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e6)
      })

    const { connections, policy } = guards[request.purpose]
    const target = parseTarget(policy, request.url)
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

  return Egress.of({
    admit: (url, purpose) => outsideTransaction(() => guards[purpose].admit(url)),
    send,
    begin: (request, ended) => {
      const fiber = Fiber.getCurrent()
      if (fiber !== undefined && isInTransaction(fiber.context)) throw inTransaction()
      return guards[request.purpose].begin(request, ended)
    },
    stream: (request) => outsideTransaction(() => openStream(request))
  })
})

/**
 * The kernel's `Egress` over undici: requests with one deadline each, to addresses that were checked for their purpose. The methods
 * die when they find an open `Transaction`, and `begin` throws when the fiber that calls it has one. When the layer's scope
 * closes, every connection is destroyed and requests in flight fail with `connection_lost` or `connect_failed`.
 */
export const EgressGuard = {
  layer: (options: EgressGuardOptions): Layer.Layer<Egress> => Layer.effect(Egress, make(options))
} as const
