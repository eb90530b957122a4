/** Which connections may be made: the one rule that URLs, answers of name servers and peers of sockets are held to. */
import { networkInterfaces } from "node:os"
import { NetAddress } from "effect/net"
import { type AllowedTarget, admitsAddress, mayAdmitName } from "./AllowedTarget.ts"
import { type Address, parseAddress } from "./PublicAddress.ts"

/** Ports that are closed to every connection but those to public addresses over TLS, which may use any port. */
export interface ClosedPorts {
  /** Ports that are closed at every address: those of databases and metrics. */
  readonly anywhere: ReadonlySet<number>
  /** Ports that are closed at this machine's own addresses: those that the platform's processes listen on. */
  readonly here: ReadonlySet<number>
}

export const NONE_CLOSED: ClosedPorts = { anywhere: new Set(), here: new Set() }

/** The connections that are admitted beside public addresses over HTTPS. */
export interface EgressPolicy {
  /** Admits `localhost`, 127.0.0.0/8 and [::1] over http and https. No other name may lead there. */
  readonly allowLoopback: boolean
  readonly allowed: ReadonlyArray<AllowedTarget>
  readonly closedPorts: ClosedPorts
}

/** A connection to be made. */
export interface Peer {
  /** Whether the connection goes without TLS. */
  readonly isPlain: boolean
  /** In canonical form: a name in lower case, or an address without brackets. */
  readonly host: string
  /** The host where it is an address; undefined where it is a name. */
  readonly address: Address | undefined
  readonly port: number
}

/** The peer of this host, which may be in brackets. */
export const makePeer = (isPlain: boolean, hostname: string, port: number): Peer => {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  return { isPlain, host, address: parseAddress(host), port }
}

/** True for `localhost` and the loopback addresses: the hosts that `allowLoopback` is about. */
const isLoopbackHost = ({ address, host }: Peer): boolean =>
  address === undefined ? host === "localhost" : address.kind === "loopback"

/** Whether an address is one of this machine's. They can change, so they are looked up each time, but only for a closed port. */
const isHere = ({ ip, kind }: Address): boolean => {
  if (kind === "loopback") return true
  const text = NetAddress.formatIp(ip)
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === text))
}

const isClosed = ({ anywhere, here }: ClosedPorts, port: number, address: Address): boolean =>
  anywhere.has(port) || (here.has(port) && isHere(address))

const fits = (target: AllowedTarget, { isPlain, port }: Peer): boolean =>
  (target.isPlain || !isPlain) && (target.port === null || target.port === port)

/**
 * Whether a connection made for a peer may go to `address`: to a public one over TLS always, and to any other only where the policy
 * admits it, at a port that is not closed. Metadata services, link-local and most other special addresses are never reached, since
 * `admitsAddress` admits none of their kinds. Undefined stands for a text that `parseAddress` takes for no address.
 */
export const mayReach = (policy: EgressPolicy, peer: Peer, address: Address | undefined): boolean => {
  if (address === undefined) return false
  if (address.kind === "public" && !peer.isPlain) return true
  if (isClosed(policy.closedPorts, peer.port, address)) return false
  if (policy.allowLoopback && address.kind === "loopback" && isLoopbackHost(peer)) return true
  return policy.allowed.some((target) => fits(target, peer) && admitsAddress(target, peer.host, address))
}

/** Whether nothing but a closed port keeps a connection from `address`. */
export const isOnlyClosed = (policy: EgressPolicy, peer: Peer, address: Address): boolean =>
  !mayReach(policy, peer, address) && mayReach({ ...policy, closedPorts: NONE_CLOSED }, peer, address)

/** Whether a connection without TLS to a host that has yet to be resolved may be admitted for some address of it. */
export const mayBePlain = (policy: EgressPolicy, peer: Peer): boolean =>
  policy.allowed.some((target) => fits(target, peer) && mayAdmitName(target, peer.host))

const LOCALHOST: ReadonlyArray<Address> = ["127.0.0.1", "::1"].map((text) => ({
  ip: NetAddress.ipFromStringUnsafe(text),
  kind: "loopback"
}))

/** The addresses that are known without a name server: a literal's own, and those of `localhost`; undefined for other hosts. */
export const knownAddresses = ({ address, host }: Peer): ReadonlyArray<Address> | undefined => {
  if (address !== undefined) return [address]
  return host === "localhost" ? LOCALHOST : undefined
}
