/** Where a request came from. The header `Forwarded` is not read; `X-Forwarded-For` is, where trusted proxies wrote it. */
import { Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"

/** An address, perhaps in brackets, perhaps with a port: all the ways in which proxies write one. */
const parseEntry = (text: string): NetAddress.IpAddress | undefined => {
  const bare = NetAddress.ipFromString(text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text)
  if (Result.isSuccess(bare)) return NetAddress.toCanonical(bare.success)
  const withPort = NetAddress.inetAddressFromString(text)
  return Result.isSuccess(withPort) ? NetAddress.toCanonical(withPort.success.address) : undefined
}

/** The other end of a connection. Its zone says which interface of this machine it is at, not where it is. */
const parsePeer = (peer: string | undefined): NetAddress.IpAddress | undefined =>
  peer === undefined ? undefined : parseEntry(peer.replace(/%.*$/, ""))

/**
 * The client address of a request: the nearest one that is not a trusted proxy's, or the farthest where all are.
 * Undefined when it is unknown, as with an entry that is no address: nobody vouches for what stands before it.
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

/** An IPv4 address in its one way of writing, as the system gives the other end of a connection. */
const PLAIN = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** Where the request came from, as an address in its one way of writing; undefined where that is not known. */
export const clientAddressOf = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const address = Option.getOrUndefined(request.remoteAddress)
  return address === undefined || PLAIN.test(address) ? address : resolveAddress(address, undefined, [])
}
