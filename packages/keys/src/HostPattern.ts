/** The hosts that a secret is sent to: how they are written, and which of them fit a URL. */
import { Schema } from "effect"

/** The longest name of a host, in characters. */
const NAME_LENGTH_MAX = 253

/** The longest pattern, in characters: `*.`, a name, and a port. */
export const HOST_PATTERN_LENGTH_MAX = NAME_LENGTH_MAX + 8

const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/
/** A pattern: perhaps `*.`, then an IPv6 address in brackets or another host, then perhaps `:` and a port. */
const WRITTEN = /^(\*\.)?(\[[0-9a-f:.]{2,45}\]|[^:[\]*]{1,253})(?::([1-9][0-9]{0,4}))?$/

/** Whether a host is written as it stands in a URL: in the canonical form of a name or of an address. */
const isHost = (host: string): boolean =>
  (host.startsWith("[") || (host.length <= NAME_LENGTH_MAX && NAME.test(host))) &&
  URL.parse(`https://${host}/`)?.hostname === host

/** Whether a host is an address: parsers take every host for one whose last label is a number. */
const isAddress = (host: string): boolean => host.startsWith("[") || /(?:^|\.)[0-9]+$/.test(host)

/** A pattern in its canonical form: in lower case. */
export const HostPattern = Schema.String.pipe(Schema.brand("HostPattern"))
export type HostPattern = typeof HostPattern.Type

/**
 * Reads a pattern: a host, or `*.` and a name of at least two labels for all below it, each perhaps with a port behind it.
 * Undefined for anything else, such as `*.com`, a name that ends with a dot, or one beyond ASCII that is not in its `xn--` form.
 */
export const parseHostPattern = (text: string): HostPattern | undefined => {
  if (!/^[!-~]*$/.test(text)) return undefined
  const lowered = text.toLowerCase()
  const [, wildcard, host = "", port] = WRITTEN.exec(lowered) ?? []
  if (!isHost(host) || Number(port ?? 1) > 65_535) return undefined
  if (wildcard !== undefined && (isAddress(host) || !host.includes("."))) return undefined
  return HostPattern.make(lowered)
}

/**
 * Every pattern that fits a URL, the most particular first: its host, and then what is below each of its suffixes. A pattern
 * without a port fits the port that the scheme has by itself. None fits a URL with credentials, or one that is not HTTP.
 */
export const patternsFor = (url: string): ReadonlyArray<HostPattern> => {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== "" || parsed.password !== "")
    return []
  const { hostname, port, protocol } = parsed
  // A longer one is no name; it would have thousands of suffixes.
  if (hostname.length > NAME_LENGTH_MAX) return []
  const labels = isAddress(hostname) ? [] : hostname.split(".")
  const suffixes = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join(".")}`)
  const standard = protocol === "https:" ? "443" : "80"
  return [hostname, ...suffixes]
    .flatMap((host) => (port === "" ? [`${host}:${standard}`, host] : [`${host}:${port}`]))
    .map((pattern) => HostPattern.make(pattern))
}
