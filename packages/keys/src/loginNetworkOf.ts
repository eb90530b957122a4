import { IpNetwork, NetAddress } from "effect/net"
import { parseAddress } from "./AllowedIps.ts"

/** A network's customer usually has all IPv6 addresses that begin with the same 64 bits, so these count together. */
const IPV6_PREFIX = 64

const IPV4_BITS = 32

/** Stands for unknown addresses, which all share one bound. */
const UNKNOWN = "unknown"

/** The network by which logins are counted: an IPv4 address itself, or the network of the customer of an IPv6 address. */
export const loginNetworkOf = (address: string | undefined): string => {
  const parsed = address === undefined ? undefined : parseAddress(address)
  if (parsed === undefined) return UNKNOWN
  const width = NetAddress.width(parsed)
  return IpNetwork.format(IpNetwork.fromAddressUnsafe(parsed, width === IPV4_BITS ? width : IPV6_PREFIX))
}
