import { Result } from "effect"
import { HOST_NAME, HOST_NAME_LENGTH_MAX } from "./AllowedTarget.ts"
import {
  type EgressPolicy,
  isOnlyClosed,
  knownAddresses,
  makePeer,
  mayBePlain,
  mayReach,
  type Peer
} from "./EgressPolicy.ts"

/** Longest URL that is admitted, in UTF-16 units. */
export const URL_LENGTH_MAX = 2048

/** A URL that passed every check without the network. */
export interface Target {
  /** Scheme, host and port, as a client wants them. */
  readonly origin: string
  readonly peer: Peer
  /** Path and query; never the fragment. */
  readonly path: string
}

const AUTHORITY = /^(https?):\/\/([^/?#]*)/i
const PORT_AT_END = /:[0-9]{1,5}$/

// WHATWG parsers drop or translate these silently, so that the URL read by a person is not the URL called.
const hasSilentCharacter = (url: string): boolean => {
  for (let index = 0; index < url.length; index++) {
    const code = url.charCodeAt(index)
    if (code <= 0x20 || code === 0x7f || code === 0x5c) return true
  }
  return false
}

/** The peer that a client connects to by these parts of a URL. */
export const peerOf = (protocol: string, hostname: string, port: string): Peer => {
  const isPlain = protocol !== "https:"
  return makePeer(isPlain, hostname, port === "" ? (isPlain ? 80 : 443) : Number(port))
}

const whyUnreachable = (policy: EgressPolicy, peer: Peer): string => {
  if (knownAddresses(peer)?.some((address) => isOnlyClosed(policy, peer, address))) {
    return "The port is closed here: the platform itself listens on it, or a database or metrics do"
  }
  return peer.isPlain ? "The URL must use https" : "The host is not a public address"
}

/**
 * Reads `url` and applies every rule that needs no name look-up: https where nothing else is admitted, no credentials, the host written
 * in its canonical form, an address literal that may be reached. Fails with a sentence that holds no part of the URL but its
 * host. Spec: Webhook endpoint 1.
 */
export const parseTarget = (policy: EgressPolicy, url: string): Result.Result<Target, string> => {
  if (url.length > URL_LENGTH_MAX) return Result.fail(`The URL is longer than ${URL_LENGTH_MAX} characters`)
  if (hasSilentCharacter(url)) return Result.fail("The URL contains whitespace, a control character or a backslash")
  const written = AUTHORITY.exec(url)
  if (written === null) return Result.fail("The URL must start with https://")
  const parsed = URL.parse(url)
  if (parsed === null) return Result.fail("The URL cannot be parsed")
  const authority = written[2] ?? ""
  if (authority.includes("@") || parsed.username !== "" || parsed.password !== "") {
    return Result.fail("The URL contains credentials")
  }
  if (parsed.port === "0") return Result.fail("Port 0 cannot be called")
  // A parser reads 0x7f.1, 2130706433, %31 and full-width digits as addresses; none of them is what it looks like.
  if (authority.replace(PORT_AT_END, "").toLowerCase() !== parsed.hostname) {
    return Result.fail(`The host is not written in its canonical form, which is ${parsed.hostname}`)
  }
  const peer = peerOf(parsed.protocol, parsed.hostname, parsed.port)
  if (peer.address === undefined && (peer.host.length > HOST_NAME_LENGTH_MAX || !HOST_NAME.test(peer.host))) {
    return Result.fail("The host is not a valid name")
  }
  const isReachable =
    knownAddresses(peer)?.every((address) => mayReach(policy, peer, address)) ??
    (!peer.isPlain || mayBePlain(policy, peer))
  if (!isReachable) return Result.fail(whyUnreachable(policy, peer))
  return Result.succeed({ origin: parsed.origin, peer, path: `${parsed.pathname}${parsed.search}` })
}
