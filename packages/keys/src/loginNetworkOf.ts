import { IpNetwork, NetAddress } from "effect/net"
import { parseAddress } from "./AllowedIps.ts"

/** One customer of a network has as many IPv6 addresses as they like, all of which begin with the same bits. */
const IPV6_PREFIX = 64

/** Stands for addresses that are not known: all of them share one bound. */
const UNKNOWN = "unknown"

/** The network by which logins are counted: an IPv4 address, and of an IPv6 address the network that its customer has. */
export const loginNetworkOf = (address: string | undefined): string => {
  const parsed = address === undefined ? undefined : parseAddress(address)
  if (parsed === undefined) return UNKNOWN
  const width = NetAddress.width(parsed)
  return IpNetwork.format(IpNetwork.fromAddressUnsafe(parsed, width === 32 ? width : IPV6_PREFIX))
}
