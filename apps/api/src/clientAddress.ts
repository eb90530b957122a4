/** Finds the client address of a request. It reads `X-Forwarded-For` where trusted proxies wrote it, and never `Forwarded`. */
import { Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"

/** Parses an address as proxies write it: in brackets or not, with a port or without. */
const parseEntry = (text: string): NetAddress.IpAddress | undefined => {
  const bare = NetAddress.ipFromString(text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text)
  if (Result.isSuccess(bare)) return NetAddress.toCanonical(bare.success)
  const withPort = NetAddress.inetAddressFromString(text)
  return Result.isSuccess(withPort) ? NetAddress.toCanonical(withPort.success.address) : undefined
}

/** Parses the peer address of a connection. An IPv6 zone is dropped, since it names an interface of this machine. */
const parsePeer = (peer: string | undefined): NetAddress.IpAddress | undefined =>
  peer === undefined ? undefined : parseEntry(peer.replace(/%.*$/, ""))

/**
 * The client address of a request: the nearest address that is not a trusted proxy's, or the farthest one where all are. It is
 * unknown (undefined) when an entry on the way is no address, since nobody vouches for the entries before that one.
 */
export const resolveAddress = (
  peer: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
): string | undefined => {
  const isTrusted = (address: NetAddress.IpAddress) =>
    trustedProxies.some((network) => IpNetwork.contains(network, address))
  let nearest = parsePeer(peer)
  if (nearest === undefined) return undefined
  const entries = forwardedFor === undefined ? [] : forwardedFor.split(",").map((entry) => entry.trim())
  while (isTrusted(nearest)) {
    const entry = entries.pop()
    if (entry === undefined) break
    const next = parseEntry(entry)
    if (next === undefined) return undefined
    nearest = next
  }
  return NetAddress.formatIp(nearest)
}

/** The request with the client's address in the place of the connection's peer. */
export const withClientAddress = (
  request: HttpServerRequest.HttpServerRequest,
  trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
): HttpServerRequest.HttpServerRequest => {
  if (trustedProxies.length === 0) return request
  const peer = Option.getOrUndefined(request.remoteAddress)
  const address = resolveAddress(peer, request.headers["x-forwarded-for"], trustedProxies)
  return request.modify({ remoteAddress: Option.fromUndefinedOr(address) })
}

/** An IPv4 address in canonical form, which is how the system reports most peers. */
const CANONICAL_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** The client address of the request in canonical form; undefined where it is not known. */
export const clientAddressOf = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const address = Option.getOrUndefined(request.remoteAddress)
  return address === undefined || CANONICAL_IPV4.test(address) ? address : resolveAddress(address, undefined, [])
}
