/**
 * Guarded egress: requests to public addresses, and to what an operator admits beside them.
 *
 * ```ts
 * import { EgressGuard } from "@agent-platform/egress"
 * import { Egress } from "@agent-platform/kernel"
 * import { Effect } from "effect"
 *
 * const admitted = Egress.use((egress) => egress.admit("https://127.0.0.1/", "webhooks")).pipe(
 *   Effect.as("admitted"),
 *   Effect.catchTag("UrlNotPublic", ({ detail }) => Effect.succeed(detail)),
 *   Effect.provide(EgressGuard.layer({ allowLoopback: false }))
 * )
 * console.log(await Effect.runPromise(admitted)) // The host is not a public address
 * ```
 */
export {
  ALLOWED_TARGETS_MAX,
  type AllowedTarget,
  formatAllowedTarget,
  parseAllowedTargets
} from "./AllowedTarget.ts"
export { CONNECTION_MILLIS_MAX } from "./Connections.ts"
export { EgressGuard, type EgressGuardOptions } from "./EgressGuard.ts"
export type { ClosedPorts } from "./EgressPolicy.ts"
export { type HostResolver, NameNotResolved, RESOLVE_MILLIS_MAX } from "./HostResolver.ts"
export { addressKind, isLoopbackAddress, isPublicAddress } from "./PublicAddress.ts"
