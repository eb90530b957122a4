import { Result } from "effect"
import { addressKind, isLoopbackAddress, isPublicAddress } from "./PublicAddress.ts"

/** Longest URL that is admitted, in UTF-16 units. */
export const URL_LENGTH_MAX = 2048

/** Which hosts the guard lets through. */
export interface HostPolicy {
  /** Lets `localhost`, 127.0.0.0/8 and [::1] through as well, over http and https. Nothing else gets looser. False in production. */
  readonly allowLoopback: boolean
}

/** A URL that passed every check without the network. */
export interface Target {
  /** Scheme, host and port, as a client wants them. */
  readonly origin: string
  /** The host in canonical form: a name in lower case, or an address without brackets. */
  readonly host: string
  /** Path and query; never the fragment. */
  readonly path: string
}

const NAME_LENGTH_MAX = 253
const NAME = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/
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

const unbracketed = (hostname: string) => (hostname.startsWith("[") ? hostname.slice(1, -1) : hostname)

/** True for `localhost` and the loopback addresses: the hosts that `allowLoopback` is about. */
export const isLoopbackHost = (host: string): boolean => host === "localhost" || isLoopbackAddress(host)

/**
 * May a connection made for `host` go to `address`? A public address always; a loopback address only for a loopback
 * host and under `allowLoopback`, so that no name of the outside can point inwards.
 */
export const mayReach = (policy: HostPolicy, host: string, address: string): boolean =>
  isPublicAddress(address) || (policy.allowLoopback && isLoopbackHost(host) && isLoopbackAddress(address))

/**
 * Reads `url` and applies every rule that needs no name look-up: https, no credentials, the host written in its
 * canonical form, an address literal that may be reached. Fails with a sentence that holds no part of the URL but its
 * host. Spec: Webhook endpoint 1.
 */
export const parseTarget = (policy: HostPolicy, url: string): Result.Result<Target, string> => {
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
    return Result.fail("The host is not written in its canonical form")
  }
  const host = unbracketed(parsed.hostname)
  const kind = addressKind(host)
  const isAddress = kind !== "malformed"
  if (!isAddress && (host.length > NAME_LENGTH_MAX || !NAME.test(host))) {
    return Result.fail("The host is not a valid name")
  }
  const loopback = policy.allowLoopback && isLoopbackHost(host)
  if (parsed.protocol !== "https:" && !loopback) return Result.fail("The URL must use https")
  if (!loopback && (isAddress ? kind !== "public" : host === "localhost")) {
    return Result.fail("The host is not a public address")
  }
  return Result.succeed({ origin: parsed.origin, host, path: `${parsed.pathname}${parsed.search}` })
}
