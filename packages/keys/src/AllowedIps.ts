/** The networks that a key may be used from. Addresses are compared as numbers; an IPv4-mapped one counts as an IPv4 address. */
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** Most networks that a key can name. */
export const ALLOWED_IPS_MAX = 50

/** The bits before the IPv4 address in an IPv4-mapped one; a network of such addresses fixes all of them. */
const MAPPED_BITS = 96

/** The address in `text`; an IPv4-mapped one becomes the IPv4 address. Undefined for anything else. */
export const parseAddress = (text: string): NetAddress.IpAddress | undefined => {
  const parsed = NetAddress.ipFromString(text)
  return Result.isSuccess(parsed) ? NetAddress.toCanonical(parsed.success) : undefined
}

/**
 * The network that `text` names in CIDR notation, or the network of one address. Undefined for anything else, such as a
 * network with bits beyond its prefix. A network of IPv4-mapped addresses becomes the IPv4 network.
 */
export const parseNetwork = (text: string): IpNetwork.IpNetwork | undefined => {
  if (!text.includes("/")) {
    const address = parseAddress(text)
    return address === undefined ? undefined : IpNetwork.makeUnsafe(address, NetAddress.width(address))
  }
  const parsed = IpNetwork.fromString(text)
  if (Result.isFailure(parsed)) return undefined
  const network = parsed.success
  const address = NetAddress.toCanonical(network.address)
  if (address === network.address) return network
  return IpNetwork.makeUnsafe(address, network.prefixLength - MAPPED_BITS)
}

/** The networks in their canonical form, each once; undefined when one of the texts is no network. */
export const canonicalNetworks = (texts: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const networks = texts.map(parseNetwork)
  const found = networks.filter((network) => network !== undefined)
  return found.length === networks.length ? [...new Set(found.map(IpNetwork.format))] : undefined
}

/** Whether an address lies in one of the networks. An empty list admits every address; an unknown address lies in none. */
export const admitsAddress = (allowedIps: ReadonlyArray<string>, address: string | undefined): boolean => {
  if (allowedIps.length === 0) return true
  const parsed = address === undefined ? undefined : parseAddress(address)
  if (parsed === undefined) return false
  return allowedIps.some((text) => {
    const network = parseNetwork(text)
    return network !== undefined && IpNetwork.contains(network, parsed)
  })
}

/** The networks of `inner` that do not lie inside one of `outer`. An empty list means everywhere. */
export const networksOutside = (outer: ReadonlyArray<string>, inner: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (outer.length === 0) return []
  if (inner.length === 0) return ["0.0.0.0/0", "::/0"]
  const around = outer.map(parseNetwork).filter((network) => network !== undefined)
  return inner.filter((text) => {
    const network = parseNetwork(text)
    return network === undefined || !around.some((one) => IpNetwork.containsNetwork(one, network))
  })
}
