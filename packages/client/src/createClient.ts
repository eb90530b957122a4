/** A client for callers who know nothing of Effect: promises, plain values, and nothing but what every runtime has. */
import type { CallOptions } from "./CallOptions.ts"
import type { Calls, Items } from "./generated/calls.ts"
import { OPERATIONS } from "./generated/operations.ts"
import { type GivenKey, holdKey } from "./heldKey.ts"
import { withQuery } from "./query.ts"
import { type Fetch, type Reach, send, unanswered } from "./request.ts"
import { RETRY_DEFAULTS, type RetryPolicy } from "./retry.ts"
import { makeStreams, type Streams } from "./streams.ts"

/** Whom to call, and as whom. */
export interface ClientOptions {
  /** Where the service is, such as `https://agents.example.com`. */
  readonly baseUrl: string | URL
  /**
   * The API key, or a function that returns one. The function is called before the first call, and again when its key is refused, such
   * as a browser key after 15 minutes. Without a key the browser's session is used, as the dashboard does.
   */
  readonly apiKey?: GivenKey
  /** The workspace that an organization key, or a session, acts in. */
  readonly workspaceId?: string
  /** Sent with the session's changes: the `csrf_token` of `auth.getMe`. */
  readonly csrfToken?: string
  readonly retry?: Partial<RetryPolicy>
  /** How long one attempt may take until its answer begins. 100 unless given: waits of 60 s are possible. */
  readonly attemptSecondsMax?: number
  /** Another `fetch` than the runtime's. */
  readonly fetch?: typeof globalThis.fetch
}

/** The service, operation by operation. */
export interface AgentPlatformClient extends Calls, Streams {
  /** Lists, item by item over all of their pages. */
  readonly items: Items
}

interface Operation {
  readonly method: string
  /** Below /api/v1/, with its parameters in braces. */
  readonly path: string
  /** Whether it takes an Idempotency-Key. */
  readonly isKeyed: boolean
  readonly isPaged: boolean
  readonly hasBody: boolean
}

/** Reads a line of `OPERATIONS`, such as `POST runs/ keyed body`: method, path and marks. */
const operationOf = (line: string): Operation => {
  const [method = "", path = "", ...marks] = line.split(" ")
  const has = (mark: string) => marks.includes(mark)
  return { method, path, isKeyed: has("keyed"), isPaged: has("paged"), hasBody: has("body") }
}

interface AnyRequest extends CallOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

const mapped = <A, B>(values: Readonly<Record<string, A>>, make: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]))

const pathOf = ({ path }: Operation, { params = {}, query }: AnyRequest): string => {
  const filled = `/api/v1/${path}`.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === "") throw new TypeError(`The parameter ${name} is missing`)
    return encodeURIComponent(value)
  })
  return withQuery(filled, query)
}

const call = async (reach: Reach, operation: Operation, request: AnyRequest = {}): Promise<unknown> => {
  const response = await send(reach, {
    method: operation.method,
    path: pathOf(operation, request),
    headers: {
      accept: "application/json",
      ...(operation.hasBody ? { "content-type": "application/json" } : {}),
      ...(operation.isKeyed ? { "idempotency-key": request.idempotencyKey ?? crypto.randomUUID() } : {}),
      ...request.headers
    },
    body: operation.hasBody ? JSON.stringify(request.body ?? {}) : undefined,
    signal: request.signal
  })
  const text = await response.text().catch((cause: unknown) => {
    request.signal?.throwIfAborted()
    throw unanswered(cause)
  })
  return text === "" ? undefined : JSON.parse(text)
}

async function* itemsOf(reach: Reach, operation: Operation, request: AnyRequest = {}) {
  let query = request.query ?? {}
  for (;;) {
    const page = (await call(reach, operation, { ...request, query })) as {
      readonly items: ReadonlyArray<unknown>
      readonly next_cursor?: string | null
    }
    yield* page.items
    if (page.next_cursor === null || page.next_cursor === undefined) return
    query = { ...query, cursor: page.next_cursor }
  }
}

/** A client. It opens no connection before it is asked for something. */
export const createClient = (options: ClientOptions): AgentPlatformClient => {
  const fetchFrom = options.fetch ?? globalThis.fetch
  const reach: Reach = {
    baseUrl: String(options.baseUrl).replace(/\/+$/, ""),
    key: holdKey(options.apiKey),
    headers: {
      ...(options.workspaceId === undefined ? {} : { "x-workspace-id": options.workspaceId }),
      ...(options.csrfToken === undefined ? {} : { "x-csrf-token": options.csrfToken })
    },
    // The session's cookie is sent only without a key.
    fetch: ((url, init) =>
      fetchFrom(url, { ...init, ...(options.apiKey === undefined ? { credentials: "include" } : {}) })) satisfies Fetch,
    retry: { ...RETRY_DEFAULTS, ...options.retry },
    attemptMillisMax: (options.attemptSecondsMax ?? 100) * 1000
  }
  const calls = mapped(OPERATIONS, (lines) =>
    mapped(lines, (line) => (request?: AnyRequest) => call(reach, operationOf(line), request))
  )
  const items = mapped(OPERATIONS, (lines) =>
    mapped(lines, (line) => {
      const operation = operationOf(line)
      return operation.isPaged ? (request?: AnyRequest) => itemsOf(reach, operation, request) : undefined
    })
  )
  return { ...calls, items, ...makeStreams(reach) } as unknown as AgentPlatformClient
}
