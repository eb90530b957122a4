/** The targets that an operator admits beside public addresses over HTTPS: how they are written, and which hosts they admit. */
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { type Address, type AddressKind, kindOfNetwork, parseAddress } from "./PublicAddress.ts"

/** Most entries of one list. */
export const ALLOWED_TARGETS_MAX = 100

/** Longest name of a host, in characters, and its form: labels as name servers have them, in lower case. */
export const HOST_NAME_LENGTH_MAX = 253
export const HOST_NAME = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/** One entry of an operator's list. */
export type AllowedTarget = {
  /** Whether plain http is admitted beside https. */
  readonly isPlain: boolean
  /** The one port that is admitted; null for every port. */
  readonly port: number | null
} & (
  | { readonly _tag: "Network"; readonly network: IpNetwork.IpNetwork }
  | { readonly _tag: "Name"; readonly name: string }
  /** Every name below this one, and not itself. */
  | { readonly _tag: "Suffix"; readonly name: string }
)

/** Addresses that a network of a list can admit, beside public ones. All others are never called, whatever a list says. */
const NETWORK_KINDS: ReadonlySet<AddressKind> = new Set([
  "public",
  "private",
  "shared",
  "unique-local",
  "loopback",
  "benchmarking"
])

/** Addresses that a listed name may lead to. Not loopback: the owner of the name could turn it to this machine. */
const NAME_KINDS: ReadonlySet<AddressKind> = new Set(["public", "private", "shared", "unique-local"])

/** The parts of IPv6 in which addresses of those kinds lie. All of IPv4 may hold some. */
const V6_CALLABLE = ["2000::/3", "fc00::/7", "::1/128"].map(IpNetwork.fromStringUnsafe)

const FORM =
  "is neither a network such as 10.0.0.0/8, an address, a host such as vllm.internal, nor *.internal for all below it"

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i
const BRACKETED = /^\[([^[\]]*)\](?::([0-9]{1,5}))?$/
const WITH_PORT = /^([^:]*):([0-9]{1,5})$/

/** Host and port apart; a bare IPv6 address or network has colons of its own, and no port. */
const hostAndPort = (text: string): { readonly host: string; readonly port: string | undefined } => {
  const [, host, port] = BRACKETED.exec(text) ?? WITH_PORT.exec(text) ?? []
  return host === undefined ? { host: text, port: undefined } : { host, port }
}

const parseNetwork = (text: string): IpNetwork.IpNetwork | undefined => {
  const [written = "", prefix, ...more] = text.split("/")
  const ip = parseAddress(written)?.ip
  if (ip === undefined || more.length > 0) return undefined
  if (prefix === undefined) return IpNetwork.makeUnsafe(ip, NetAddress.width(ip))
  const network = /^[0-9]{1,3}$/.test(prefix) ? IpNetwork.fromString(text) : undefined
  return network === undefined || Result.isFailure(network) ? undefined : network.success
}

/** Whether a network has addresses of those kinds: one of several kinds is taken, and `admitsAddress` judges each address. */
const isCallable = (network: IpNetwork.IpNetwork): boolean => {
  const kind = kindOfNetwork(network)
  if (kind !== undefined) return NETWORK_KINDS.has(kind)
  return IpNetwork.isIpv4Network(network) || V6_CALLABLE.some((block) => IpNetwork.overlaps(block, network))
}

/**
 * Whether a name is written as it stands in URLs, so that it is compared with what is called. Parsers of URLs read a name whose last
 * label is a number as an IPv4 address.
 */
const isName = (name: string): boolean =>
  name.length <= HOST_NAME_LENGTH_MAX &&
  HOST_NAME.test(name) &&
  !/(?:^|\.)[0-9.]+$/.test(name) &&
  URL.parse(`https://${name}/`)?.hostname === name

const parseEntry = (text: string): Result.Result<AllowedTarget, string> => {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== "http")
    return Result.fail("begins with something else than http://, which alone can be said")
  const { host, port: written } = hostAndPort(scheme === undefined ? text : text.slice("http://".length))
  const port = written === undefined ? null : Number(written)
  if (port !== null && (port < 1 || port > 65_535)) return Result.fail("has a port that is none")
  const shared = { isPlain: scheme !== undefined, port }
  const network = parseNetwork(host)
  if (network !== undefined) {
    return isCallable(network)
      ? Result.succeed({ ...shared, _tag: "Network", network })
      : Result.fail("lies among addresses that are never called, such as link-local ones and metadata services")
  }
  const isSuffix = host.startsWith("*.")
  const name = (isSuffix ? host.slice(2) : host).toLowerCase()
  return isName(name) ? Result.succeed({ ...shared, _tag: isSuffix ? "Suffix" : "Name", name }) : Result.fail(FORM)
}

/**
 * Reads a list: networks in CIDR notation, addresses, hosts and `*.suffixes` with commas between them, each perhaps with `http://` in
 * front and a port behind it. An empty text is an empty list. Fails with the end of a sentence that begins with the list's name; it
 * names the entry by its place, since a text that was put here by mistake may be a secret.
 */
export const parseAllowedTargets = (text: string): Result.Result<ReadonlyArray<AllowedTarget>, string> => {
  if (text.trim() === "") return Result.succeed([])
  const entries = text.split(",")
  if (entries.length > ALLOWED_TARGETS_MAX) return Result.fail(`has more than ${ALLOWED_TARGETS_MAX} entries`)
  const targets: Array<AllowedTarget> = []
  for (const [index, entry] of entries.entries()) {
    const target = parseEntry(entry.trim())
    if (Result.isFailure(target)) return Result.fail(`has an entry, number ${index + 1}, that ${target.failure}`)
    targets.push(target.success)
  }
  return Result.succeed(targets)
}

const hostText = (target: AllowedTarget): string => {
  if (target._tag !== "Network") return target._tag === "Suffix" ? `*.${target.name}` : target.name
  const { address, prefixLength } = target.network
  const text =
    prefixLength === NetAddress.width(address) ? NetAddress.formatIp(address) : IpNetwork.format(target.network)
  return target.port !== null && NetAddress.isIpv6Address(address) ? `[${text}]` : text
}

/** An entry as it can be written. */
export const formatAllowedTarget = (target: AllowedTarget): string =>
  `${target.isPlain ? "http://" : ""}${hostText(target)}${target.port === null ? "" : `:${target.port}`}`

/** Whether an entry names this host, whatever its addresses are. */
const isNamed = (target: AllowedTarget, host: string): boolean => {
  if (target._tag === "Network") return false
  return target._tag === "Name" ? host === target.name : host.endsWith(`.${target.name}`)
}

/** Whether an entry admits an address for a connection to `host`. Callers judge scheme and port themselves. */
export const admitsAddress = (target: AllowedTarget, host: string, { ip, kind }: Address): boolean => {
  if (target._tag === "Network") return NETWORK_KINDS.has(kind) && IpNetwork.contains(target.network, ip)
  return isNamed(target, host) && (NAME_KINDS.has(kind) || (host === "localhost" && kind === "loopback"))
}

/** Whether an entry may admit some address of a host that has yet to be resolved. */
export const mayAdmitName = (target: AllowedTarget, host: string): boolean =>
  target._tag === "Network" || isNamed(target, host)
