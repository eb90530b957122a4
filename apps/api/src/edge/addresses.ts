/** Looks up the methods of an address, for 405 and for OPTIONS, and the names that metrics and logs use for it. */
import { Api } from "@agent-platform/contract"
import { HttpApi } from "effect/http-api"

interface Address {
  readonly template: string
  readonly segments: ReadonlyArray<string>
  /** In the order of the contract. */
  readonly methods: Array<string>
}

const segmentsOf = (path: string): ReadonlyArray<string> => {
  const trimmed = path.endsWith("/") && path.length > 1 ? path.slice(0, -1) : path
  return trimmed.split("/").slice(1)
}

/** An address as the documentation writes it. */
const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

/** A node of the tree of addresses by segments: all that can follow the same first segments. */
interface Node {
  readonly literal: Map<string, Node>
  parameter: Node | undefined
  /** The address that ends here. */
  address: Address | undefined
}

const emptyNode = (): Node => ({ literal: new Map(), parameter: undefined, address: undefined })

/** The node behind this segment of a template, which is added if it is missing. */
const childFor = (node: Node, segment: string): Node => {
  if (segment.startsWith(":")) {
    node.parameter ??= emptyNode()
    return node.parameter
  }
  const child = node.literal.get(segment) ?? emptyNode()
  node.literal.set(segment, child)
  return child
}

/** The tree of all addresses. */
const treeOf = (gets: ReadonlyArray<string>, posts: ReadonlyArray<string>): Node => {
  const root = emptyNode()
  const add = (method: string, path: string): void => {
    const segments = segmentsOf(path)
    const node = segments.reduce(childFor, root)
    node.address ??= { template: templateOf(path), segments, methods: [] }
    node.address.methods.push(...(method === "GET" ? ["GET", "HEAD"] : [method]))
  }
  for (const path of gets) add("GET", path)
  for (const path of posts) add("POST", path)
  HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => add(endpoint.method, endpoint.path) })
  return root
}

/** Finds the address of a path. A literal segment goes before a parameter: `replays` is never the id of an endpoint. */
const find = (node: Node | undefined, path: ReadonlyArray<string>, depth = 0): Address | undefined => {
  if (node === undefined) return undefined
  const segment = path[depth]
  if (segment === undefined) return node.address
  const literal = find(node.literal.get(segment), path, depth + 1)
  return literal ?? (segment === "" ? undefined : find(node.parameter, path, depth + 1))
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
  /** The methods that are routed, HEAD included; none for an unknown path. OPTIONS is possible wherever one is. */
  readonly methods: ReadonlyArray<string>
  /** Its template, such as `/api/v1/runs/{run_id}`; `unknown` for an unknown path. */
  readonly template: string
  /** The path as responses, logs and traces show it; `/` for an unknown path. */
  readonly shown: string
}

/** The facts about an unknown path, of which nothing is shown. */
export const UNKNOWN: KnownAddress = { methods: [], template: "unknown", shown: "/" }

/** Makes the look-up of a well-encoded path. `gets` are the paths outside the contract that take GET, `posts` those that take POST. */
export const makeAddresses = (gets: ReadonlyArray<string>, posts: ReadonlyArray<string> = []) => {
  const root = treeOf(gets, posts)
  return (encoded: string): KnownAddress => {
    // Decoded as the router decodes it.
    const path = encoded.includes("%") ? decodeURI(encoded) : encoded
    const segments = segmentsOf(path)
    const found = find(root, segments)
    if (found === undefined) return UNKNOWN
    return { template: found.template, shown: shownAs(found, segments, path), methods: found.methods }
  }
}
