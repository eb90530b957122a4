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

/**
 * The headers that go out, names in lower case. Fails with `protocol_error` for a name or value that HTTP cannot carry,
 * for one that belongs to the connection, and for a name that comes twice. `accept-encoding` is always ours.
 */
export const requestHeaders = (
  headers: Readonly<Record<string, string>>
): Result.Result<Readonly<Record<string, string>>, Fault> => {
  const sent = new Map<string, string>()
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase()
    if (!NAME.test(name)) return Result.fail(fault("protocol_error", "A header of the request has an invalid name"))
    if (UNSENDABLE.test(value)) {
      return Result.fail(fault("protocol_error", `The header ${name} of the request has an invalid value`))
    }
    if (OWN.has(name)) return Result.fail(fault("protocol_error", `The header ${name} cannot be set`))
    if (sent.has(name)) return Result.fail(fault("protocol_error", `The header ${name} is set twice`))
    sent.set(name, value)
  }
  return Result.succeed(Object.fromEntries(sent.set("accept-encoding", ACCEPT_ENCODING)))
}
