import { type ExchangeAnswer, ExchangeFailed, type ExchangeRequest } from "@agent-platform/kernel"
import { type Clock, Exit, Result } from "effect"
import type { Connections } from "./Connections.ts"
import type { Deadlines } from "./Deadlines.ts"
import { type Fault, fault, faultFor } from "./failures.ts"
import { requestHeaders } from "./requestHeaders.ts"
import { sendRequest } from "./sendRequest.ts"
import { type HostPolicy, parseTarget } from "./Target.ts"

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

/** What exchanges are made with. */
export interface ExchangeParts {
  readonly policy: HostPolicy
  readonly connections: Connections
  readonly deadlines: Deadlines
  readonly clock: Clock.Clock
}

/** As `Egress.begin`, past its rule about transactions. */
export type BeginExchange = (
  request: ExchangeRequest,
  ended: (exit: Exit.Exit<ExchangeAnswer, ExchangeFailed>) => void
) => () => void

const nothing = () => {}

/**
 * Begins exchanges: from reading the URL to the last byte of the answer under one deadline, over a connection that is
 * kept afterwards when it can carry another. By callbacks, since a fiber for each exchange costs more than the exchange.
 */
export const makeExchanges = ({ clock, connections, deadlines, policy }: ExchangeParts): BeginExchange => {
  const targetOf = rememberingTargets(policy)
  return (request, ended) => {
    const startedAt = clock.monotonicTimeNanosUnsafe()
    const durationMillis = () => Math.round(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e6)
    const failed = (fault: Fault, remoteAddress: string | null) =>
      ended(Exit.fail(new ExchangeFailed({ ...fault, remoteAddress, durationMillis: durationMillis() })))

    const target = targetOf(request.url)
    if (Result.isFailure(target)) {
      failed(fault("address_refused", target.failure), null)
      return nothing
    }
    const headers = requestHeaders(request.headers)
    if (Result.isFailure(headers)) {
      failed(headers.failure, null)
      return nothing
    }

    const connection = connections.take(target.success.origin)
    let over = false
    /** Ends the use of the connection, and answers whom it spoke to. */
    const end = (reusable: boolean) => {
      over = true
      callOffDeadline()
      const { remoteAddress } = connection
      connections.giveBack(connection, reusable)
      return remoteAddress
    }
    const fail = (fault: Fault) => {
      if (!over) failed(fault, end(false))
    }
    const callOffDeadline = deadlines.add(request.deadlineMillis, () => {
      silence()
      fail(faultFor("timeout"))
    })
    const silence = sendRequest(connection, target.success.path, headers.success, request, {
      answered: ({ body, headers, reusable, status }) => {
        if (over) return
        const remoteAddress = end(reusable)
        ended(Exit.succeed({ status, headers, body, remoteAddress, durationMillis: durationMillis() }))
      },
      failed: fail
    })
    return () => {
      silence()
      if (!over) end(false)
    }
  }
}
