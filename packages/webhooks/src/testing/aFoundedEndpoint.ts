import { aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { Effect } from "effect"
import type { Endpoint } from "../Endpoint.ts"
import { anEndpoint } from "./builders.ts"

/** An endpoint as `anEndpoint` makes it, not stored yet, whose organization is in the store. */
export const aFoundedEndpoint = (override: Partial<Endpoint> = {}): Effect.Effect<Endpoint, never, Tenants> =>
  Effect.suspend(() => {
    const endpoint = anEndpoint(override)
    return Effect.as(aTenant({ organizationId: endpoint.organizationId }), endpoint)
  })
