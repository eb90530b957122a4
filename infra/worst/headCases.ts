/** Cases that fill the head of a request: addresses, queries and headers. */
import type { OutgoingHttpHeaders } from "node:http"
import { type Case, chosen, type Scale, sizesBelow } from "./cases.ts"
import { type Operation, operations, usesUp } from "./contractWalk.ts"
import { soundOf } from "./documents.ts"
import type { Platform } from "./platform.ts"
import { knownTo, makeTester, pathFor, type StrangerUrls } from "./tester.ts"

/** The most that is put into address or headers, which are refused above 16 KiB together. */
const HEAD_BYTES_MAX = 15_000

const repeated = (piece: string, bytes: number) => piece.repeat(Math.max(1, Math.floor(bytes / piece.length)))

/** Headers that are read for every operation, each with an entry of which a sender can make many. */
const HEADERS: Readonly<Record<string, string>> = {
  accept: "text/a;q=0.5,",
  "accept-encoding": "gzip;q=0.1,",
  authorization: "Bearer a ",
  baggage: "a=1,",
  "content-type": "application/json;a=b,",
  cookie: "__Host-agent-platform-session=a;",
  expect: "100-continue,",
  "if-none-match": '"a",',
  origin: "http://a.",
  traceparent: "00-",
  tracestate: "a=1,",
  "x-forwarded-for": "10.1.2.3,",
  "x-forwarded-proto": "https,"
}

/** At how many operations the headers are tried that the same code reads for all. */
const SAMPLE = 6

interface Head {
  readonly member: string
  readonly fill: (size: number) => { readonly query?: string; readonly headers?: OutgoingHttpHeaders }
}

const headerHeads = (name: string, entry: string): ReadonlyArray<Head> => [
  { member: `${name}: entries`, fill: (size) => ({ headers: { [name]: repeated(entry, size) } }) },
  { member: `${name}: letters`, fill: (size) => ({ headers: { [name]: repeated("a", size) } }) },
  { member: `${name}: blanks`, fill: (size) => ({ headers: { [name]: `a${repeated(" ", size)}a` } }) }
]

const queryHeads = (name: string, sound: string): ReadonlyArray<Head> => {
  const pair = `${name}=${encodeURIComponent(sound)}`
  return [
    { member: `?${name}: again and again`, fill: (size) => ({ query: repeated(`${pair}&`, size) }) },
    { member: `?${name}: letters`, fill: (size) => ({ query: `${name}=${repeated("a", size)}` }) },
    { member: `?${name}: a sound beginning`, fill: (size) => ({ query: `${pair}${repeated("%20", size)}` }) }
  ]
}

/** So many parts that they come to the size, each with a separator. */
const many = (size: number, one: (index: number) => string, separator: string) => {
  const parts: Array<string> = []
  for (let bytes = 0; bytes < size; bytes += parts.at(-1)!.length + separator.length) parts.push(one(parts.length))
  return parts
}

const UNKNOWN: Head = {
  member: "?: unknown names",
  fill: (size) => ({ query: many(size, (index) => `n${index}=1`, "&").join("&") })
}

const COMMON: ReadonlyArray<Head> = [
  { member: "?: escapes", fill: (size) => ({ query: `a=${repeated("%F0%9F%98%80", size)}` }) },
  {
    member: "headers: unknown names",
    fill: (size) => ({
      headers: Object.fromEntries(many(size, (index) => `x-n${index}`, ": 1\r\n").map((name) => [name, "1"]))
    })
  },
  {
    member: "headers: one name again and again",
    fill: (size) => ({ headers: { "x-n": many(size, () => "1", "x-n: \r\n") } })
  },
  ...Object.entries(HEADERS).flatMap(([name, entry]) => headerHeads(name, entry))
]

/** Headers that nearly every operation documents, and that are read by the same code for all of them. */
const SHARED = new Set(["X-Workspace-Id", "X-CSRF-Token", "X-Request-Id"])

const headsOf = ({ parameters }: Operation, isSample: boolean): ReadonlyArray<Head> =>
  parameters.flatMap(({ in: where, name, schema }) => {
    if (SHARED.has(name) && !isSample) return []
    const sound = String(soundOf(schema, {}, name))
    if (where === "query") return queryHeads(name, sound)
    return where === "header" ? headerHeads(name.toLowerCase(), `${sound.replaceAll(/[^\x20-\x7e]/g, "x")},`) : []
  })

/** A path with one of its parameters made long. */
const longPaths = (operation: Operation): ReadonlyArray<readonly [string, (path: string, size: number) => string]> =>
  [...operation.path.matchAll(/\{(\w+)\}/g)].flatMap(([hole, name]) => {
    const place = operation.path.split("/").indexOf(hole)
    const put = (path: string, text: string) =>
      path
        .split("/")
        .map((part, index) => (index === place ? text : part))
        .join("/")
    return [
      [`{${name}}: letters`, (path: string, size: number) => put(path, repeated("a", size))],
      [`{${name}}: escapes`, (path: string, size: number) => put(path, repeated("%2e", size))]
    ] as const
  })

/** Every parameter of every operation, and every header that is read for all of them. */
export const headCases = (platform: Platform, urls: StrangerUrls, scale: Scale): ReadonlyArray<Case> => {
  const sizes = sizesBelow(HEAD_BYTES_MAX, { ...scale, doublings: 2, divisor: 1 })
  // Heads that all operations share are tried at `SAMPLE` of them, spread over the contract, and in a sample at one.
  const stride = Math.ceil(operations.length / (scale.isSampled ? 1 : SAMPLE))

  return operations.flatMap((operation, index) => {
    let staged:
      | Promise<{ headers: Readonly<Record<string, string>>; path: string; body: string | undefined }>
      | undefined
    const stage = async () => {
      const tester = await makeTester(platform)
      const { body: described } = operation
      const known = described === undefined ? {} : await knownTo(tester, urls)
      const body = described === undefined ? undefined : JSON.stringify(soundOf(described.schema, known))
      const json = body === undefined ? {} : { "content-type": "application/json" }
      return {
        headers: { ...tester.headersFor(operation), ...json },
        path: await pathFor(tester, urls, operation),
        body
      }
    }
    const caseOf = (
      member: string,
      change: (path: string, size: number) => { readonly path: string; readonly headers?: OutgoingHttpHeaders }
    ): Case => ({
      endpoint: operation.name,
      member,
      sizes,
      prepare: async (size) => {
        if (usesUp(operation)) staged = undefined
        staged ??= stage()
        const { body, headers, path } = await staged
        const changed = change(path, size)
        const sending = {
          method: operation.method,
          path: changed.path,
          headers: { ...headers, ...changed.headers },
          ...(body === undefined ? {} : { body })
        }
        return async (millisMax) => String((await platform.ask(sending, millisMax)).status)
      }
    })
    const isSample = index % stride === scale.seed % stride
    const own = [UNKNOWN, ...headsOf(operation, isSample)]
    const heads = [...chosen(own, scale, index), ...(isSample ? COMMON : [])]
    return [
      ...heads.map(({ fill, member }) =>
        caseOf(member, (path, size) => {
          const { headers = {}, query } = fill(size)
          return { path: query === undefined ? path : `${path}?${query}`, headers }
        })
      ),
      ...chosen(longPaths(operation), scale, index).map(([member, put]) =>
        caseOf(member, (path, size) => ({ path: put(path, size) }))
      )
    ]
  })
}
