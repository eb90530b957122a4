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

/** What the addresses that begin alike have in common. */
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

/** The addresses that a path fits, those with the literal segments first. */
const fitting = (node: Beginning | undefined, path: ReadonlyArray<string>, depth = 0): ReadonlyArray<Address> => {
  if (node === undefined) return NONE
  const segment = path[depth]
  if (segment === undefined) return node.ended
  const literal = fitting(node.literal.get(segment), path, depth + 1)
  const others = segment === "" ? NONE : fitting(node.parameter, path, depth + 1)
  return literal.length === 0 ? others : others.length === 0 ? literal : [...literal, ...others]
}

/** What is known of a path. */
export interface KnownAddress {
  /** Its methods, HEAD and OPTIONS included; none for an unknown path. */
  readonly methods: () => ReadonlyArray<string>
  /** Its template, such as `/api/v1/runs/{run_id}`, where a literal one goes first; `unknown` for an unknown path. */
  readonly template: string
}

const UNKNOWN: KnownAddress = { methods: () => [], template: "unknown" }

/** A look-up from path to what is known of it. `others` are paths outside the contract, all of which take GET. */
export const makeAddresses = (others: ReadonlyArray<string>) => {
  const root = beginning()
  for (const address of addresses(others)) address.segments.reduce(next, root).ended.push(address)
  return (path: string): KnownAddress => {
    const found = fitting(root, segmentsOf(path))
    const [first] = found
    if (first === undefined) return UNKNOWN
    return {
      template: first.template,
      methods: () => {
        // An address can fit a literal path and one with a parameter.
        const methods = found.map(({ method }) => method)
        return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])]
      }
    }
  }
}
