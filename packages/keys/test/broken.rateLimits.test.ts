/** The suite of rate limits catches limits that are broken. */
import { WorkspaceId } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { limitedId, RateLimits } from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { anApiKey, rateLimitsContract } from "@agent-platform/keys/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

const memory = Layer.provideMerge(stores, kernel)

const limitFault = (
  fault: string,
  broken: (limits: RateLimits["Service"]) => RateLimits["Service"]["take"],
  caughtBy: ReadonlyArray<string>
) => {
  const layer = Layer.effect(
    RateLimits,
    RateLimits.use((limits) => Effect.succeed({ take: broken(limits) }))
  )
  bite(fault, () => rateLimitsContract("broken limits", Layer.provideMerge(layer, memory)), caughtBy)
}

const { id: ONE_KEY, workspaceId } = anApiKey()
const ONE_WORKSPACE = workspaceId ?? WorkspaceId.make(ONE_KEY)

/** Each case is there for keys and for workspaces. */
const twice = (titles: ReadonlyArray<string>) => [...titles, ...titles]

limitFault(
  "limits that count all keys together",
  (limits) => (limited, requests) => limits.take("id" in limited ? { ...limited, id: ONE_KEY } : limited, requests),
  ["refuses none of ten that come at once where keys have a limit of ten", "counts the requests of several keys apart"]
)

limitFault(
  "limits that count all workspaces together",
  (limits) => (limited, requests) =>
    limits.take("id" in limited ? limited : { ...limited, workspaceId: ONE_WORKSPACE }, requests),
  [
    "refuses none of ten that come at once where workspaces have a limit of ten",
    "counts the requests of several workspaces apart"
  ]
)

limitFault(
  "limits that let one more through than they say",
  (limits) =>
    ({ rateLimit, ...key }, requests) =>
      limits.take({ ...key, rateLimit: { ...rateLimit, limit: rateLimit.limit + 1 } }, requests),
  [
    "refuses none of ten that come at once where keys have a limit of ten",
    "refuses none of ten that come at once where workspaces have a limit of ten",
    "counts the requests of several keys apart",
    "counts the requests of several workspaces apart",
    ...twice([
      "takes as many requests as the limit says, counting down, and refuses the next",
      "takes several requests or none of them, and all of the limit at once",
      "takes no more than the limit of forty that come at once",
      "begins anew with a limit that was changed",
      "counts by the largest and the smallest limits"
    ])
  ]
)

limitFault(
  "limits that count one request for several",
  (limits) => (limited) => limits.take(limited, 1),
  twice(["takes several requests or none of them, and all of the limit at once"])
)

limitFault(
  "limits that count what they refuse",
  (limits) => {
    const refusals = new Map<string, number>()
    return (key, requests) =>
      Effect.map(limits.take(key, requests), (reading) => {
        if (reading.taken) return reading
        const count = (refusals.get(limitedId(key)) ?? 0) + 1
        refusals.set(limitedId(key), count)
        return { ...reading, retryAfterSeconds: reading.retryAfterSeconds * count }
      })
  },
  twice(["counts no refused request"])
)

limitFault(
  "limits that look first and count later",
  (limits) => {
    const open = new Map<string, number>()
    return (key, requests) =>
      Effect.gen(function* () {
        const count = open.get(limitedId(key)) ?? 0
        yield* Effect.yieldNow
        open.set(limitedId(key), count + requests)
        const reading = yield* limits.take(key, requests)
        return count + requests <= key.rateLimit.limit ? { ...reading, taken: true } : reading
      })
  },
  twice(["takes no more than the limit of forty that come at once"])
)

limitFault(
  "limits that find one more missing for a caller that waited",
  (limits) => {
    let underWay = 0
    return (key, requests) =>
      Effect.gen(function* () {
        const waits = underWay++ > 0
        yield* Effect.yieldNow
        const reading = yield* limits.take(key, requests)
        underWay--
        return waits ? { ...reading, remaining: reading.remaining - 1 } : reading
      })
  },
  [
    "refuses none of ten that come at once where keys have a limit of ten",
    "refuses none of ten that come at once where workspaces have a limit of ten",
    ...twice(["takes no more than the limit of forty that come at once"])
  ]
)
