import ipaddr from "ipaddr.js"

/**
 * What an address is: `public`, the special block it lies in, or `malformed` when the text is no address in the one
 * spelling that every resolver and every socket reads alike.
 */
export type AddressKind =
  | "public"
  | "malformed"
  | "this-network"
  | "private"
  | "shared"
  | "loopback"
  | "link-local"
  | "protocol-assignment"
  | "documentation"
  | "as112"
  | "amt"
  | "relay"
  | "benchmarking"
  | "multicast"
  | "reserved"
  | "platform"
  | "unspecified"
  | "mapped"
  | "translated"
  | "unique-local"
  | "site-local"
  | "6to4"
  | "embedded"

const v4 = (cidr: string, kind: AddressKind) => [ipaddr.IPv4.parseCIDR(cidr), kind] as const
const v6 = (cidr: string, kind: AddressKind) => [ipaddr.IPv6.parseCIDR(cidr), kind] as const

// The special-purpose registries of IANA; what is not listed is public.
const V4_BLOCKS = [
  v4("0.0.0.0/8", "this-network"),
  v4("10.0.0.0/8", "private"),
  v4("100.64.0.0/10", "shared"),
  v4("127.0.0.0/8", "loopback"),
  // Holds 169.254.169.254, the metadata service of most clouds.
  v4("169.254.0.0/16", "link-local"),
  v4("172.16.0.0/12", "private"),
  v4("192.0.0.0/24", "protocol-assignment"),
  v4("192.0.2.0/24", "documentation"),
  v4("192.31.196.0/24", "as112"),
  v4("192.52.193.0/24", "amt"),
  v4("192.88.99.0/24", "relay"),
  v4("192.168.0.0/16", "private"),
  v4("192.175.48.0/24", "as112"),
  v4("198.18.0.0/15", "benchmarking"),
  v4("198.51.100.0/24", "documentation"),
  v4("203.0.113.0/24", "documentation"),
  v4("224.0.0.0/4", "multicast"),
  v4("240.0.0.0/4", "reserved"),
  // Looks public and is the host agent of every machine on Azure.
  v4("168.63.129.16/32", "platform")
]

const V6_GLOBAL = ipaddr.IPv6.parseCIDR("2000::/3")

// First the blocks inside 2000::/3 that are not public, then names for what lies outside of it, where nothing is.
const V6_BLOCKS = [
  // Teredo, benchmarking, AMT, AS112, ORCHID, ORCHIDv2 and remote identification are all in here.
  v6("2001::/23", "protocol-assignment"),
  v6("2001:db8::/32", "documentation"),
  v6("2002::/16", "6to4"),
  v6("2620:4f:8000::/48", "as112"),
  v6("3ffe::/16", "reserved"),
  v6("3fff::/20", "documentation"),
  v6("::/128", "unspecified"),
  v6("::1/128", "loopback"),
  v6("::ffff:0:0/96", "mapped"),
  v6("::ffff:0:0:0/96", "translated"),
  v6("::/96", "embedded"),
  v6("64:ff9b::/96", "translated"),
  v6("64:ff9b:1::/48", "translated"),
  v6("fc00::/7", "unique-local"),
  v6("fe80::/10", "link-local"),
  v6("fec0::/10", "site-local"),
  v6("ff00::/8", "multicast")
]

// ipaddr.js throws inside for a name, which costs 12 µs; this keeps names away from it.
const V4_SPELLING = /^[0-9.]+$/

// ipaddr.js reads ::127.0.0.1 as ::ffff:127.0.0.1 and ::010.1.1.1 in octal: the IPv4 tail stays outside, as zones do.
const V6_SPELLING = /^[0-9a-f:]*:[0-9a-f:]*$/i

/**
 * What `text` is. IPv4 counts in four decimal parts without leading zeros only; IPv6 in hexadecimal parts only, without
 * brackets, zone or IPv4 tail. Every other spelling is `malformed`, also where some parser takes it for an address.
 */
export const addressKind = (text: string): AddressKind => {
  if (V4_SPELLING.test(text) && ipaddr.IPv4.isValidFourPartDecimal(text)) {
    const address = ipaddr.IPv4.parse(text)
    return V4_BLOCKS.find(([block]) => address.match(block))?.[1] ?? "public"
  }
  if (!V6_SPELLING.test(text) || !ipaddr.IPv6.isValid(text)) return "malformed"
  const address = ipaddr.IPv6.parse(text)
  const block = V6_BLOCKS.find(([block]) => address.match(block))?.[1]
  return block ?? (address.match(V6_GLOBAL) ? "public" : "reserved")
}

/**
 * True for an address that belongs to the public internet: global unicast, outside of every special block. False for
 * whatever is `malformed`. Spec: Webhook endpoint 1.
 */
export const isPublicAddress = (text: string): boolean => addressKind(text) === "public"

/** True for 127.0.0.0/8 and ::1, in the spellings that `addressKind` accepts. */
export const isLoopbackAddress = (text: string): boolean => addressKind(text) === "loopback"
