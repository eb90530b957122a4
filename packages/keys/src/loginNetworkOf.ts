import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** One customer of a network has as many IPv6 addresses as they like, all of which begin with the same bits. */
const IPV6_PREFIX = 64

/** Stands for addresses that are not known: all of them share one bound. */
const UNKNOWN = "unknown"

/** The network by which logins are counted: an IPv4 address, and of an IPv6 address the network that its customer has. */
export const loginNetworkOf = (address: string | undefined): string => {
  const parsed = address === undefined ? undefined : NetAddress.ipFromString(address)
  if (parsed === undefined || Result.isFailure(parsed)) return UNKNOWN
  const canonical = NetAddress.toCanonical(parsed.success)
  const width = NetAddress.width(canonical)
  return IpNetwork.format(IpNetwork.fromAddressUnsafe(canonical, width === 32 ? width : IPV6_PREFIX))
}
