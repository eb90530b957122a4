import { UrlNotPublic } from "@agent-platform/kernel"
import { Effect, Result } from "effect"
import type { EgressPolicy } from "./EgressPolicy.ts"
import { type HostResolver, reachableAddresses } from "./HostResolver.ts"
import { parseTarget } from "./Target.ts"

/**
 * Admits a URL for later use: reads it, resolves its host and demands that every address may be reached. Fails with a
 * sentence for the caller. Ends within `RESOLVE_MILLIS_MAX`. It proves nothing about the next look-up: the connector
 * checks again whenever it connects. Spec: Webhook endpoint 1.
 */
export const admitUrl = (policy: EgressPolicy, resolver: HostResolver) => {
  const resolve = reachableAddresses(policy, resolver)
  return Effect.fn("Egress.admit")(function* (url: string) {
    const target = parseTarget(policy, url)
    if (Result.isFailure(target)) return yield* new UrlNotPublic({ detail: target.failure })
    yield* resolve(target.success.peer).pipe(
      Effect.catchTags({
        NameNotResolved: () => new UrlNotPublic({ detail: "The host does not resolve" }),
        AddressRefused: () => new UrlNotPublic({ detail: "The host is not at public addresses only" })
      })
    )
  })
}
