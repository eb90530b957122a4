/** How often a key may call. Contract: Errors, rate_limited. */
import { type Caller, TooManyRequests } from "@agent-platform/contract"
import { measure } from "@agent-platform/kernel"
import { Keys, type RateLimit, type RateLimitReading } from "@agent-platform/keys"
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { promptly } from "./edge/promptly.ts"
import { rateLimitRefusals } from "./measures.ts"

/** What the limit is called in the headers, which can name several. */
const POLICY = '"api_key"'

const rateLimited = ({ limit, windowSeconds }: RateLimit, { retryAfterSeconds }: RateLimitReading) =>
  new TooManyRequests({
    code: "rate_limited",
    detail: `The API key is limited to ${limit} per ${windowSeconds} s. Try again in ${retryAfterSeconds} s`
  })

const headersOf = ({ limit, windowSeconds }: RateLimit, reading: RateLimitReading) => ({
  "ratelimit-policy": `${POLICY};q=${limit};w=${windowSeconds}`,
  ratelimit: `${POLICY};r=${reading.remaining};t=${reading.resetSeconds}`
})

/** Puts the key's limit before the limits that the answer tells of already. */
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
 * Counts a request against the limit of the caller's key, and tells of it on the answer, whatever that is. Fails once the
 * limit is reached. A caller without a limit costs nothing; where the count cannot be kept the request fails with it, for
 * the store is the one that has just recognised the key.
 */
export const makeRateLimit = Effect.map(Keys, (keys) =>
  Effect.fnUntraced(function* ({ credential, organizationId }: Caller) {
    if (credential.type !== "api_key" || credential.rateLimit === null) return
    const { id, rateLimit } = credential
    const reading = yield* promptly(keys.countRequest({ organizationId, id, rateLimit }))
    const retryAfterSeconds = reading.taken ? undefined : reading.retryAfterSeconds
    yield* HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(withHeaders(response, headersOf(rateLimit, reading), retryAfterSeconds))
    )
    if (reading.taken) return
    yield* measure(rateLimitRefusals, { limit: "api_key" }, 1)
    return yield* rateLimited(rateLimit, reading)
  })
)
