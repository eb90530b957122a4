/** Looks up the methods of an address, for 405 and for OPTIONS, and the names that metrics and logs use for it. */
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

/** The common beginning of addresses: a node of a tree by segments. */
interface Beginning {
  readonly literal: Map<string, Beginning>
  parameter: Beginning | undefined
  readonly ended: Array<Address>
}

const beginning = (): Beginning => ({ literal: new Map(), parameter: undefined, ended: [] })

const next = (node: Beginning, segment: string): Beginning => {
  if (segment.startsWith(":")) {
    node.parameter ??= beginning()
    return node.parameter
  }
  const made = node.literal.get(segment) ?? beginning()
  node.literal.set(segment, made)
  return made
}

const NONE: ReadonlyArray<Address> = []

/** The addresses that fit a path; those with literal segments go first. */
const fitting = (node: Beginning | undefined, path: ReadonlyArray<string>, depth = 0): ReadonlyArray<Address> => {
  if (node === undefined) return NONE
  const segment = path[depth]
  if (segment === undefined) return node.ended
  const literal = fitting(node.literal.get(segment), path, depth + 1)
  const others = segment === "" ? NONE : fitting(node.parameter, path, depth + 1)
  return literal.length === 0 ? others : others.length === 0 ? literal : [...literal, ...others]
}

/** The form of a parameter that may be shown: an id, or a word such as the name of a provider. */
const SHOWN = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z_]{1,40})$/i

/** The token of an inbound URL is a credential, so it is never shown, whatever it looks like. */
const SECRET = ":token"

/** The path as it may be shown. A parameter that is no id stays as in the template, since callers may put anything there. */
const shownAs = ({ segments }: Address, given: ReadonlyArray<string>, path: string): string => {
  const shown = segments.map((segment, place) => {
    if (!segment.startsWith(":")) return segment
    const value = given[place] ?? ""
    return segment !== SECRET && SHOWN.test(value) ? value : `{${segment.slice(1)}}`
  })
  return `/${shown.join("/")}${path.length > 1 && path.endsWith("/") ? "/" : ""}`
}

/** The facts known about a path. */
export interface KnownAddress {
  /** Its methods, HEAD and OPTIONS included; none for an unknown path. */
  readonly methods: () => ReadonlyArray<string>
  /** Its template, such as `/api/v1/runs/{run_id}`; `unknown` for an unknown path. A literal template goes first. */
  readonly template: string
  /** The path as responses, logs and traces show it; `/` for an unknown path. */
  readonly shown: string
}

/** The facts about an unknown path, of which nothing is shown. */
export const UNKNOWN: KnownAddress = { methods: () => [], template: "unknown", shown: "/" }

/** Makes the look-up of a well-encoded path. `others` are paths outside the contract, all of which take GET. */
export const makeAddresses = (others: ReadonlyArray<string>) => {
  const root = beginning()
  for (const address of addresses(others)) address.segments.reduce(next, root).ended.push(address)
  return (encoded: string): KnownAddress => {
    // Decoded as the router decodes it.
    const path = encoded.includes("%") ? decodeURI(encoded) : encoded
    const segments = segmentsOf(path)
    const found = fitting(root, segments)
    const [first] = found
    if (first === undefined) return UNKNOWN
    return {
      template: first.template,
      shown: shownAs(first, segments, path),
      methods: () => {
        // A path can fit both a literal address and one with a parameter.
        const methods = found.map(({ method }) => method)
        return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])]
      }
    }
  }
}
