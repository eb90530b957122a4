import { useCase } from "@agent-platform/kernel"
import { type LimitedKey, type LimitedWorkspace, RateLimits } from "../../ports/RateLimits.ts"

/**
 * Counts a request against the limit of its key or of its workspace, for all processes together; answers whether it is within the limit and
 * what is left of it. To be asked once a request, after the key was recognised.
 */
export const countRequest = useCase("keys.countRequest")(function* (limited: LimitedKey | LimitedWorkspace) {
  const limits = yield* RateLimits
  return yield* limits.take(limited)
})
