import { EgressGuard, parseAllowedTargets } from "@agent-platform/egress"
import type { EgressPurpose } from "@agent-platform/kernel"
import { Result } from "effect"

/** A guard that admits loopback for these purposes alone, by an operator's lists. */
export const layerAdmitting = (...purposes: ReadonlyArray<EgressPurpose>) => {
  const loopback = Result.getOrThrow(parseAllowedTargets("http://127.0.0.0/8"))
  return EgressGuard.layer({
    allowLoopback: false,
    allow: Object.fromEntries(purposes.map((purpose) => [purpose, loopback]))
  })
}
