/** Whether a call has not reached its agent, and when it is made again. */
import type { RequestFailed } from "@agent-platform/kernel"

/** A call that has not reached its agent, so that it can be made again under the same attempt. */
export interface Unreached {
  readonly _tag: "Unreached"
  readonly detail: string
  /** When the agent asks to be called again; undefined where it says nothing. */
  readonly afterSeconds: number | undefined
}

/** Failures before anything was sent that may be over in a moment. An address that may not be called stays so. */
const PASSING = new Set<string>(["dns_failed", "connect_failed", "tls_failed"])

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

const secondsOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined

/** How a call has not reached its agent; undefined where it may have. Status 503 says of itself that nothing was done. */
export const unreachedBy = (outcome: RequestFailed | Answer): Unreached | undefined => {
  if ("status" in outcome) {
    if (outcome.status !== 503) return undefined
    return { _tag: "Unreached", detail: "It answered 503", afterSeconds: secondsOf(outcome.headers["retry-after"]) }
  }
  return PASSING.has(outcome.reason)
    ? { _tag: "Unreached", detail: outcome.detail, afterSeconds: undefined }
    : undefined
}

/** How long an agent is called again while it is not reached, and the longest wait between two calls, in milliseconds. */
const UNREACHED_MILLIS_MAX = 120_000
const WAIT_MILLIS_MAX = 15_000

/** The wait before the next call: 1 s, 2 s, 4 s, 8 s, then 15 s, or what the agent asks for. Undefined once it is time to give up. */
export const waitMillis = ({ afterSeconds }: Unreached, tries: number, elapsedMillis: number): number | undefined => {
  const wished = afterSeconds === undefined ? 1000 * 2 ** Math.min(tries - 1, 10) : 1000 * Math.max(1, afterSeconds)
  const wait = Math.min(wished, WAIT_MILLIS_MAX)
  return elapsedMillis + wait > UNREACHED_MILLIS_MAX ? undefined : wait
}
