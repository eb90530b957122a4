import { type IncomingResponse, type OutgoingRequest, RequestFailed } from "@agent-platform/kernel"
import { type Clock, Exit, Result } from "effect"
import type { Connection, Connections } from "./Connections.ts"
import type { Deadlines } from "./Deadlines.ts"
import type { EgressPolicy } from "./EgressPolicy.ts"
import { type Fault, fault, faultFor } from "./failures.ts"
import { requestHeaders } from "./requestHeaders.ts"
import { type ReadAnswer, type RequestEvents, sendRequest } from "./sendRequest.ts"
import { parseTarget, type Target } from "./Target.ts"

/** The parts that all requests of one guard share. */
export interface RequestParts {
  readonly policy: EgressPolicy
  readonly connections: Connections
  readonly deadlines: Deadlines
  readonly clock: Clock.Clock
}

type Ended = (exit: Exit.Exit<IncomingResponse, RequestFailed>) => void

/** Does as `Egress.begin` does, which checks for transactions before it calls this. */
export type BeginRequest = (request: OutgoingRequest, ended: Ended) => () => void

/** One request from its beginning to its end, over one connection and under one deadline. */
class OpenRequest implements RequestEvents {
  private readonly parts: RequestParts
  private readonly ended: Ended
  private readonly startedAt: bigint
  private connection: Connection | undefined
  private sent: ReturnType<typeof sendRequest> | undefined
  private callOffDeadline = () => {}

  constructor(parts: RequestParts, ended: Ended) {
    this.parts = parts
    this.ended = ended
    this.startedAt = parts.clock.monotonicTimeNanosUnsafe()
  }

  begin({ origin, path }: Target, headers: ReadonlyArray<string>, request: OutgoingRequest) {
    this.connection = this.parts.connections.take(origin)
    this.callOffDeadline = this.parts.deadlines.add(request.deadlineMillis, () => {
      this.sent?.silence()
      this.failed(faultFor("timeout"))
    })
    this.sent = sendRequest(this.connection, path, headers, request, this)
  }

  answered({ body, headers, reusable, status }: ReadAnswer) {
    if (this.connection === undefined) return
    const remoteAddress = this.end(this.connection, reusable)
    this.ended(Exit.succeed({ status, headers, body, remoteAddress, durationMillis: this.durationMillis() }))
  }

  failed(why: Fault) {
    if (this.connection !== undefined) this.refuse(why, this.end(this.connection, false))
  }

  refuse(why: Fault, remoteAddress: string | null) {
    this.ended(Exit.fail(new RequestFailed({ ...why, remoteAddress, durationMillis: this.durationMillis() })))
  }

  callOff() {
    this.sent?.silence()
    if (this.connection !== undefined) this.end(this.connection, false)
  }

  /** Ends the use of the connection, and returns the address that it spoke to. */
  private end(connection: Connection, reusable: boolean) {
    this.connection = undefined
    this.callOffDeadline()
    const { remoteAddress } = connection
    this.parts.connections.giveBack(connection, reusable)
    return remoteAddress
  }

  private durationMillis() {
    return Math.round(Number(this.parts.clock.monotonicTimeNanosUnsafe() - this.startedAt) / 1e6)
  }
}

/**
 * Begins requests, each under one deadline from the reading of its URL to the last byte of the answer. A connection is kept
 * afterwards when it can carry another. It works by callbacks, since a fiber for each request costs more than the request.
 */
export const makeRequests =
  (parts: RequestParts): BeginRequest =>
  (request, ended) => {
    const open = new OpenRequest(parts, ended)
    const target = parseTarget(parts.policy, request.url)
    const headers = requestHeaders(request.headers)
    if (Result.isFailure(target)) open.refuse(fault("address_refused", target.failure), null)
    else if (Result.isFailure(headers)) open.refuse(headers.failure, null)
    else open.begin(target.success, headers.success, request)
    return () => open.callOff()
  }
