import { Result } from "effect"
import { ACCEPT_ENCODING } from "./BodyReader.ts"
import { type Fault, fault } from "./failures.ts"

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
// A line break would start a header or a request of the caller's own; beyond ASCII the two runtimes send different bytes.
const UNSENDABLE = /[^\t\x20-\x7e]/

// They rule the connection or say where a message ends, and host would choose the certificate to be checked.
const OWN = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Names seen before, with their form in lower case; the same few come with every request. */
const lowered = new Map<string, string>()
const NAMES_REMEMBERED_MAX = 256

const lowerCase = (written: string): string | undefined => {
  const known = lowered.get(written)
  if (known !== undefined) return known
  const name = written.toLowerCase()
  if (!NAME.test(name) || OWN.has(name)) return undefined
  if (lowered.size < NAMES_REMEMBERED_MAX) lowered.set(written, name)
  return name
}

const unusable = (written: string): Fault =>
  NAME.test(written.toLowerCase())
    ? fault("protocol_error", `The header ${written.toLowerCase()} cannot be set`)
    : fault("protocol_error", "A header of the request has an invalid name")

const nameSetTwice = (headers: Readonly<Record<string, string>>): string | undefined => {
  const names = Object.keys(headers).map((written) => written.toLowerCase())
  return names.find((name, index) => names.indexOf(name) !== index)
}

/**
 * The headers that go out: names in lower case and values, in turn. Fails with `protocol_error` for a name or value that
 * HTTP cannot carry, for names of the connection, and for repeated names. `accept-encoding` is always
 * ours.
 */
export const requestHeaders = (
  headers: Readonly<Record<string, string>>,
  acceptEncoding: string = ACCEPT_ENCODING
): Result.Result<ReadonlyArray<string>, Fault> => {
  const sent = ["accept-encoding", acceptEncoding]
  let isAsWritten = true
  for (const written in headers) {
    const value = headers[written] ?? ""
    const name = lowerCase(written)
    if (name === undefined) return Result.fail(unusable(written))
    if (UNSENDABLE.test(value)) {
      return Result.fail(fault("protocol_error", `The header ${name} of the request has an invalid value`))
    }
    if (name !== written) isAsWritten = false
    if (name !== "accept-encoding") sent.push(name, value)
  }
  // Names of one object differ, unless one of them was written otherwise than it is sent.
  const twice = isAsWritten ? undefined : nameSetTwice(headers)
  if (twice !== undefined) return Result.fail(fault("protocol_error", `The header ${twice} is set twice`))
  return Result.succeed(sent)
}
