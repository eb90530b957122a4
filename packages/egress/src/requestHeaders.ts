import { Result } from "effect"
import { ACCEPT_ENCODING } from "./BodyReader.ts"
import { type Fault, fault } from "./failures.ts"

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
// A line break would start a header or a request of the caller's own; beyond ASCII the two runtimes send different bytes.
const UNSENDABLE = /[^\t\x20-\x7e]/

// Headers that callers cannot set: they rule the connection or say where a message ends, and host would choose the certificate
// that is checked.
const RESERVED = new Set([
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

/**
 * The headers that are sent: names in lower case and values, in turn. Fails with `protocol_error` for a name or value that
 * HTTP cannot carry, for names of the connection, and for repeated names. An `accept-encoding` of the caller is left out.
 */
export const requestHeaders = (
  headers: Readonly<Record<string, string>>,
  acceptEncoding: string = ACCEPT_ENCODING
): Result.Result<ReadonlyArray<string>, Fault> => {
  const sent = ["accept-encoding", acceptEncoding]
  const seen = new Set<string>()
  const refuse = (detail: string) => Result.fail(fault("protocol_error", detail))
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase()
    if (!NAME.test(name)) return refuse("A header of the request has an invalid name")
    if (RESERVED.has(name)) return refuse(`The header ${name} cannot be set`)
    if (UNSENDABLE.test(value)) return refuse(`The header ${name} of the request has an invalid value`)
    if (seen.has(name)) return refuse(`The header ${name} is set twice`)
    seen.add(name)
    if (name !== "accept-encoding") sent.push(name, value)
  }
  return Result.succeed(sent)
}
