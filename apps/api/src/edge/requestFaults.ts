/** Finds faults of a request before it is routed. */
import { IncomingMessage } from "node:http"
import { BadRequest, type Problem } from "@agent-platform/contract"
import type { HttpServerRequest } from "effect/http"
import { notFound } from "./problems.ts"

const malformed = (detail: string) => new BadRequest({ code: "malformed_request", detail })

/** The path of an address, without its query. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}

/** No address is longer than this. Longer paths are refused, since reading a path takes more than linear time. */
const PATH_LENGTH_MAX = 2_048

/** The router would take the text after a semicolon as the query, as nobody else does, so such an address counts as unknown. */
const hasSemicolon = (path: string): boolean => path.includes(";")

const isWellEncoded = (url: string): boolean => {
  if (!url.includes("%")) return true
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

/** The problem of a missing Host header or of several, of which Node takes the first and a proxy maybe another. RFC 9112, 3.2. */
const hostFault = ({ source }: HttpServerRequest.HttpServerRequest): Problem | undefined => {
  if (!(source instanceof IncomingMessage)) return undefined
  let hosts = 0
  for (let index = 0; index < source.rawHeaders.length; index += 2) {
    const name = source.rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++
  }
  if (hosts > 1) return malformed("There are several Host headers")
  return hosts === 0 && source.httpVersion === "1.1" ? malformed("The Host header is missing") : undefined
}

/** The problem of a request to `path` that must not be routed; undefined for a sound request. */
export const faultOf = (request: HttpServerRequest.HttpServerRequest, path: string): Problem | undefined => {
  if (path.length > PATH_LENGTH_MAX || hasSemicolon(path)) return notFound()
  if (!isWellEncoded(request.url)) return malformed("The address holds an invalid percent-encoding")
  return hostFault(request)
}
