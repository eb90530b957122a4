/** The rate limits of keys and of workspaces. Spec: Errors 5. */
import { type Caller, TooManyRequests } from "@agent-platform/contract"
import { Keys, type Limited, type RateLimit, type RateLimitReading } from "@agent-platform/keys"
import { beginAtZero, measure } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { ApiSettings } from "./ApiSettings.ts"
import { rateLimitRefusals } from "./measures.ts"

const POLICIES = ["api_key", "workspace"] as const

/** A limit of the caller, with its names in headers and in refusals. */
interface CallerLimit {
  readonly policy: (typeof POLICIES)[number]
  readonly who: string
  readonly limited: Limited
}

const rateLimited = (who: string, { limit, windowSeconds }: RateLimit, { retryAfterSeconds }: RateLimitReading) =>
  new TooManyRequests({
    code: "rate_limited",
    detail: `${who} is limited to ${limit} per ${windowSeconds} s. Try again in ${retryAfterSeconds} s`
  })

/** The headers of draft-ietf-httpapi-ratelimit-headers: quota, window, remaining requests and seconds to the reset. */
const headersOf = (policy: string, { limit, windowSeconds }: RateLimit, reading: RateLimitReading) => ({
  "ratelimit-policy": `"${policy}";q=${limit};w=${windowSeconds}`,
  ratelimit: `"${policy}";r=${reading.remaining};t=${reading.resetSeconds}`
})

/** Adds a limit to the headers, which hold all limits of the response. Their order means nothing. */
const withHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  own: Readonly<Record<string, string>>,
  retryAfterSeconds: number | undefined
) =>
  HttpServerResponse.setHeaders(response, {
    ...Object.fromEntries(
      Object.entries(own).map(([name, value]) => {
        const others = response.headers[name]
        return [name, others === undefined ? value : `${value}, ${others}`]
      })
    ),
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) })
  })

/**
 * Makes the function that counts a request against the limit of the caller's key, then against that of its workspace, and adds
 * both to the headers of the response. It fails once either limit is reached; a request refused by the first is not counted by
 * the second. A caller without a limit costs nothing. A failure of the store fails the request: the same store has just
 * recognised the key.
 */
export const makeRateLimit = Effect.gen(function* () {
  const keys = yield* Keys
  const { workspaceRateLimit } = yield* ApiSettings
  yield* beginAtZero(
    rateLimitRefusals,
    POLICIES.map((limit) => ({ limit }))
  )

  const limitsOfKey = ({ credential, organizationId }: Caller): ReadonlyArray<CallerLimit> => {
    if (credential.type !== "api_key" || credential.rateLimit === null) return []
    const limited = { organizationId, id: credential.id, rateLimit: credential.rateLimit }
    return [{ policy: "api_key", who: "The API key", limited }]
  }

  const limitsOfWorkspace = ({
    organizationId,
    workspaceId
  }: Pick<Caller, "organizationId" | "workspaceId">): ReadonlyArray<CallerLimit> => {
    if (workspaceRateLimit === null || workspaceId === undefined) return []
    const limited = { organizationId, workspaceId, rateLimit: workspaceRateLimit }
    return [{ policy: "workspace", who: "The workspace", limited }]
  }

  const count = Effect.fnUntraced(function* (limits: ReadonlyArray<CallerLimit>) {
    for (const { limited, policy, who } of limits) {
      const { rateLimit } = limited
      const reading = yield* keys.countRequest(limited)
      const retryAfterSeconds = reading.taken ? undefined : reading.retryAfterSeconds
      yield* HttpEffect.appendPreResponseHandler((_, response) =>
        Effect.succeed(withHeaders(response, headersOf(policy, rateLimit, reading), retryAfterSeconds))
      )
      if (reading.taken) continue
      yield* measure(rateLimitRefusals, { limit: policy }, 1)
      return yield* rateLimited(who, rateLimit, reading)
    }
  })

  const limit = (limits: ReadonlyArray<CallerLimit>) => (limits.length === 0 ? Effect.void : count(limits))

  return {
    limitCaller: (caller: Caller) => limit([...limitsOfKey(caller), ...limitsOfWorkspace(caller)]),
    /** For a request whose credential has no limit of its own. */
    limitWorkspace: (workspace: Pick<Caller, "organizationId" | "workspaceId">) => limit(limitsOfWorkspace(workspace))
  }
})
