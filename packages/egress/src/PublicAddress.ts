import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

const block = <const Name extends string>(cidr: string, name: Name) => [IpNetwork.fromStringUnsafe(cidr), name] as const

// The special-purpose registries of IANA. The first block that holds an address says its kind; an address in none is public.
const V4_BLOCKS = [
  // Lies inside the shared block: the metadata service of Alibaba Cloud.
  block("100.100.100.200/32", "metadata"),
  block("0.0.0.0/8", "this-network"),
  block("10.0.0.0/8", "private"),
  block("100.64.0.0/10", "shared"),
  block("127.0.0.0/8", "loopback"),
  // Holds 169.254.169.254, the metadata service of most clouds.
  block("169.254.0.0/16", "link-local"),
  block("172.16.0.0/12", "private"),
  block("192.0.0.0/24", "protocol-assignment"),
  block("192.0.2.0/24", "documentation"),
  block("192.31.196.0/24", "as112"),
  block("192.52.193.0/24", "amt"),
  block("192.88.99.0/24", "relay"),
  block("192.168.0.0/16", "private"),
  block("192.175.48.0/24", "as112"),
  block("198.18.0.0/15", "benchmarking"),
  block("198.51.100.0/24", "documentation"),
  block("203.0.113.0/24", "documentation"),
  block("224.0.0.0/4", "multicast"),
  block("240.0.0.0/4", "reserved"),
  // Looks public and is the host agent of every machine on Azure.
  block("168.63.129.16/32", "platform")
]

const V6_GLOBAL = IpNetwork.fromStringUnsafe("2000::/3")

// The same for IPv6. Outside of 2000::/3 no address is public, listed or not: blocks there only say of which kind it is.
const V6_BLOCKS = [
  // Metadata services that clouds keep among the unique local addresses: Amazon's with all that lies beside it, Google's, Scaleway's.
  block("fd00:ec2::/32", "metadata"),
  block("fd20:ce::/64", "metadata"),
  block("fd00:42::42/128", "metadata"),
  // Teredo, benchmarking, AMT, AS112, ORCHID, ORCHIDv2 and remote identification are all in here.
  block("2001::/23", "protocol-assignment"),
  block("2001:db8::/32", "documentation"),
  block("2002::/16", "6to4"),
  block("2620:4f:8000::/48", "as112"),
  block("3ffe::/16", "reserved"),
  block("3fff::/20", "documentation"),
  block("::/128", "unspecified"),
  block("::1/128", "loopback"),
  block("::ffff:0:0/96", "mapped"),
  block("::ffff:0:0:0/96", "translated"),
  block("::/96", "embedded"),
  block("64:ff9b::/96", "translated"),
  block("64:ff9b:1::/48", "translated"),
  block("fc00::/7", "unique-local"),
  block("fe80::/10", "link-local"),
  block("fec0::/10", "site-local"),
  block("ff00::/8", "multicast")
]

/**
 * The kind of an address: `public`, the special block it lies in, or `malformed` when the text is no address in the one
 * spelling that every resolver and every socket reads alike.
 */
export type AddressKind = "public" | "malformed" | BlockKind

type BlockKind = (typeof V4_BLOCKS)[number][1] | (typeof V6_BLOCKS)[number][1]

/** Keeps zones, IPv4 tails and names from the parser: the error that it makes for them takes longer than everything else here. */
const SPELLING = /^(?:[0-9.]+|[0-9a-f:]+)$/i

const kindIn = (blocks: typeof V4_BLOCKS | typeof V6_BLOCKS, address: NetAddress.IpAddress): BlockKind | undefined =>
  blocks.find(([network]) => IpNetwork.contains(network, address))?.[1]

/** An address, and its kind. */
export interface Address {
  readonly ip: NetAddress.IpAddress
  readonly kind: Exclude<AddressKind, "malformed">
}

const kindOf = (ip: NetAddress.IpAddress): Address["kind"] => {
  if (NetAddress.isIpv4Address(ip)) return kindIn(V4_BLOCKS, ip) ?? "public"
  return kindIn(V6_BLOCKS, ip) ?? (IpNetwork.contains(V6_GLOBAL, ip) ? "public" : "reserved")
}

/** The address in `text`, in the spellings that `addressKind` accepts; undefined for anything else. */
export const parseAddress = (text: string): Address | undefined => {
  const parsed = SPELLING.test(text) ? NetAddress.ipFromString(text) : undefined
  if (parsed === undefined || Result.isFailure(parsed)) return undefined
  return { ip: parsed.success, kind: kindOf(parsed.success) }
}

/** The special block that holds all of a network, by its kind; undefined where none does. */
export const kindOfNetwork = (network: IpNetwork.IpNetwork): AddressKind | undefined =>
  [...V4_BLOCKS, ...V6_BLOCKS].find(([special]) => IpNetwork.containsNetwork(special, network))?.[1]

/**
 * The kind of the address in `text`. IPv4 counts in four decimal parts without leading zeros only; IPv6 in hexadecimal parts
 * only, without brackets, zone or IPv4 tail. Every other spelling is `malformed`, also where some parser takes it for an address.
 */
export const addressKind = (text: string): AddressKind => parseAddress(text)?.kind ?? "malformed"

/**
 * True for an address that belongs to the public internet: global unicast, outside of every special block. False for
 * whatever is `malformed`. Spec: Webhook endpoint 1.
 */
export const isPublicAddress = (text: string): boolean => addressKind(text) === "public"

/** True for 127.0.0.0/8 and ::1, in the spellings that `addressKind` accepts. */
export const isLoopbackAddress = (text: string): boolean => addressKind(text) === "loopback"
