/** Which methods an address takes, for 405 and for OPTIONS. */
import { Api } from "@agent-platform/contract"
import { HttpApi } from "effect/http-api"

interface Address {
  readonly segments: ReadonlyArray<string>
  readonly method: string
}

const segmentsOf = (path: string): ReadonlyArray<string> => {
  const trimmed = path.endsWith("/") && path.length > 1 ? path.slice(0, -1) : path
  return trimmed.split("/").slice(1)
}

const addresses = (others: ReadonlyArray<string>): ReadonlyArray<Address> => {
  const found = others.map((path) => ({ segments: segmentsOf(path), method: "GET" }))
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      found.push({ segments: segmentsOf(endpoint.path), method: endpoint.method })
    }
  })
  return found
}

const fits = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  pattern.length === path.length &&
  pattern.every((segment, index) => (segment.startsWith(":") ? path[index] !== "" : segment === path[index]))

/**
 * A look-up from path to methods, HEAD and OPTIONS included; none for an unknown path. `others` are paths outside the
 * contract, all of which take GET.
 */
export const makeMethods = (others: ReadonlyArray<string>) => {
  const known = addresses(others)
  return (path: string): ReadonlyArray<string> => {
    const segments = segmentsOf(path)
    const methods = known.filter((address) => fits(address.segments, segments)).map(({ method }) => method)
    if (methods.length === 0) return []
    // An address can fit a literal path and one with a parameter.
    return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])]
  }
}
