import { Resolver } from "node:dns"
import { Effect, Result, Schema } from "effect"
import { NetAddress } from "effect/net"
import { type EgressPolicy, knownAddresses, mayReach, type Peer } from "./EgressPolicy.ts"
import { parseAddress } from "./PublicAddress.ts"

/** Longest time that one name may take to resolve, in milliseconds, all of its questions together. */
export const RESOLVE_MILLIS_MAX = 5_000

/** The name has no address, or none that could be learnt in time. */
export class NameNotResolved extends Schema.TaggedError<NameNotResolved>()("NameNotResolved", {
  /** The resolver's word for it, such as ENOTFOUND. */
  code: Schema.String
}) {}

/** The host has an address that may not be called. It does not say which: that would show strangers the inside. */
export class AddressRefused extends Schema.TaggedError<AddressRefused>()("AddressRefused", {}) {}

/** All addresses of a name, of both families. Never returns an empty list; fails with `NameNotResolved` instead. */
export type HostResolver = (name: string) => Effect.Effect<ReadonlyArray<string>, NameNotResolved>

type Question = "resolve4" | "resolve6"

const ask = (resolver: Resolver, question: Question, name: string) =>
  Effect.callback<ReadonlyArray<string>, NameNotResolved>((resume) => {
    resolver[question](name, (error, addresses) => {
      resume(
        error === null || error === undefined
          ? Effect.succeed(addresses)
          : Effect.fail(new NameNotResolved({ code: error.code ?? "EUNKNOWN" }))
      )
    })
  })

/**
 * Asks name servers for A and AAAA at once: those of the machine, or `servers` as `address` or `address:port`. It
 * appends no search domain. One family without an answer is no failure as long as the other has one. On Node it reads
 * no hosts file; Deno reads it, and knows `localhost` and what is below it.
 */
export const makeNameServerResolver = (servers?: ReadonlyArray<string>): HostResolver => {
  // c-ares instead of getaddrinfo: dns.lookup holds a thread per question, and four slow names stop all others.
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return Effect.fnUntraced(function* (name) {
    const answers = yield* Effect.all(
      [Effect.result(ask(resolver, "resolve4", name)), Effect.result(ask(resolver, "resolve6", name))],
      { concurrency: 2 }
    )
    const addresses = answers.flatMap((answer) => (Result.isSuccess(answer) ? answer.success : []))
    if (addresses.length > 0) return addresses
    const failed = answers.find(Result.isFailure)
    return yield* failed === undefined ? new NameNotResolved({ code: "ENODATA" }) : Effect.fail(failed.failure)
  })
}

/**
 * The addresses that a connection to a peer may use, each of them checked: one bad answer refuses the whole host, for
 * a name that points both ways is an attack or a mistake. A literal and `localhost` ask no server. Ends within
 * `RESOLVE_MILLIS_MAX`. Spec: Webhook endpoint 1.
 */
export const reachableAddresses = (policy: EgressPolicy, resolver: HostResolver) => {
  const askInTime = (name: string) =>
    Effect.timeoutOrElse(resolver(name), {
      duration: RESOLVE_MILLIS_MAX,
      orElse: () => Effect.fail(new NameNotResolved({ code: "ETIMEOUT" }))
    })
  return Effect.fnUntraced(function* (peer: Peer) {
    const addresses = knownAddresses(peer)?.map(({ ip }) => NetAddress.formatIp(ip)) ?? (yield* askInTime(peer.host))
    if (addresses.length === 0) return yield* new NameNotResolved({ code: "ENODATA" })
    const areReachable = addresses.every((address) => mayReach(policy, peer, parseAddress(address)))
    if (!areReachable) return yield* new AddressRefused()
    return addresses
  })
}
