/** Which methods an address takes, for 405 and for OPTIONS, and its template, for what is told of requests. */
import { Api } from "@agent-platform/contract"
import { HttpApi } from "effect/http-api"

interface Address {
  readonly template: string
  readonly segments: ReadonlyArray<string>
  readonly method: string
}

const segmentsOf = (path: string): ReadonlyArray<string> => {
  const trimmed = path.endsWith("/") && path.length > 1 ? path.slice(0, -1) : path
  return trimmed.split("/").slice(1)
}

/** An address as the documentation writes it. */
const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

const addresses = (others: ReadonlyArray<string>): ReadonlyArray<Address> => {
  const found = others.map((path) => ({ template: templateOf(path), segments: segmentsOf(path), method: "GET" }))
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      found.push({ template: templateOf(endpoint.path), segments: segmentsOf(endpoint.path), method: endpoint.method })
    }
  })
  return found
}

const fits = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  pattern.length === path.length &&
  pattern.every((segment, index) => (segment.startsWith(":") ? path[index] !== "" : segment === path[index]))

/** What is known of a path. */
export interface KnownAddress {
  /** Its methods, HEAD and OPTIONS included; none for an unknown path. */
  readonly methods: () => ReadonlyArray<string>
  /** Its template, such as `/api/v1/runs/{run_id}`, where a literal one goes first; `unknown` for an unknown path. */
  readonly template: string
}

const UNKNOWN: KnownAddress = { methods: () => [], template: "unknown" }

const parametersOf = ({ segments }: Address): number => segments.filter((segment) => segment.startsWith(":")).length

/** A look-up from path to what is known of it. `others` are paths outside the contract, all of which take GET. */
export const makeAddresses = (others: ReadonlyArray<string>) => {
  const literalFirst = addresses(others).toSorted((one, two) => parametersOf(one) - parametersOf(two))
  const byLength = Map.groupBy(literalFirst, ({ segments }) => segments.length)
  return (path: string): KnownAddress => {
    const segments = segmentsOf(path)
    const candidates = byLength.get(segments.length) ?? []
    const first = candidates.find((address) => fits(address.segments, segments))
    if (first === undefined) return UNKNOWN
    return {
      template: first.template,
      methods: () => {
        // An address can fit a literal path and one with a parameter.
        const methods = candidates.filter((one) => fits(one.segments, segments)).map(({ method }) => method)
        return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])]
      }
    }
  }
}
