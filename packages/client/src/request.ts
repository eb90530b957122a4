/** One request with its repetitions, over the runtime's own `fetch`. */
import { ApiProblem, type ProblemBody, Unanswered } from "./failures.ts"
import type { HeldKey } from "./heldKey.ts"
import { type Attempt, type RetryPolicy, repeatAfter, retryAfterSeconds } from "./retry.ts"

/** The parts of a `fetch` that are used. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    readonly redirect: "manual"
    readonly signal: AbortSignal
  }
) => Promise<Response>

/** How a client reaches the service. */
export interface Reach {
  readonly baseUrl: string
  readonly key: HeldKey
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: Fetch
  readonly retry: RetryPolicy
  /** How long one attempt may take until the answer begins, in milliseconds. */
  readonly attemptMillisMax: number
}

/** One request. */
export interface Call {
  readonly method: string
  /** From the root of the service, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Waits; fails with the signal's reason as soon as it is aborted. */
export const pause = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const timer = setTimeout(done, millis)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    function done() {
      signal?.removeEventListener("abort", stop)
      resolve()
    }
    signal?.addEventListener("abort", stop, { once: true })
  })

const problemOf = async (response: Response): Promise<ProblemBody | undefined> => {
  try {
    const body: unknown = await response.json()
    return typeof body === "object" && body !== null && "code" in body ? (body as ProblemBody) : undefined
  } catch {
    return undefined
  }
}

/** Sends a request once. Gives up if the answer does not begin in time; the caller's signal also aborts the reading of its body. */
const attempt = async (reach: Reach, call: Call, key: string | undefined): Promise<Response> => {
  const timeout = new AbortController()
  call.signal?.throwIfAborted()
  // Not by a listener on the caller's signal: listeners would pile up on a signal that many calls share.
  const signal = call.signal === undefined ? timeout.signal : AbortSignal.any([call.signal, timeout.signal])
  const timer = setTimeout(() => timeout.abort(new Unanswered("There was no answer in time")), reach.attemptMillisMax)
  try {
    // Following a redirect would send the request to another server, or make another request of it.
    return await reach.fetch(`${reach.baseUrl}${call.path}`, {
      method: call.method,
      headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...reach.headers, ...call.headers },
      ...(call.body === undefined ? {} : { body: call.body }),
      redirect: "manual",
      signal
    })
  } finally {
    clearTimeout(timer)
  }
}

/** A failed connection, as callers see it. */
export const unanswered = (cause: unknown): Unanswered =>
  cause instanceof Unanswered ? cause : new Unanswered("There was no answer", { cause })

/**
 * Sends a request, and repeats it where that is worth it and safe. Returns the answer if it succeeded. Fails with ApiProblem or Unanswered
 * once it gives up, and with the signal's reason when that is aborted. If the key is refused it tries once with another, if there is one.
 */
export const send = async (reach: Reach, call: Call): Promise<Response> => {
  const repeatable = { method: call.method, keyed: call.headers["idempotency-key"] !== undefined }
  let isRenewed = false
  for (let tries = 1; ; tries++) {
    const key = await reach.key.current()
    let outcome: Attempt
    let failure: Error
    try {
      const response = await attempt(reach, call, key)
      if (response.ok) return response
      // A request whose key is refused has done nothing, so it is safe to repeat.
      if (response.status === 401 && !isRenewed && reach.key.renew(key)) {
        isRenewed = true
        await response.body?.cancel()
        continue
      }
      const retryAfter = retryAfterSeconds(response.headers.get("retry-after"), Date.now())
      const problem = await problemOf(response)
      outcome = { status: response.status, code: problem?.code, retryAfter }
      failure = new ApiProblem(response.status, problem, retryAfter)
    } catch (cause) {
      call.signal?.throwIfAborted()
      outcome = "unanswered"
      failure = unanswered(cause)
    }
    const millis = repeatAfter(repeatable, outcome, tries, reach.retry, Math.random())
    if (millis === undefined) throw failure
    await pause(millis, call.signal)
  }
}
