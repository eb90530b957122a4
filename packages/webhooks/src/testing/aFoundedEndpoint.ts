import { aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { Effect } from "effect"
import type { Endpoint } from "../Endpoint.ts"
import { anEndpoint } from "./builders.ts"

/** As `anEndpoint`, in an organization that is there: not yet stored. */
export const aFoundedEndpoint = (override: Partial<Endpoint> = {}): Effect.Effect<Endpoint, never, Tenants> =>
  Effect.suspend(() => {
    const endpoint = anEndpoint(override)
    return Effect.as(aTenant({ organizationId: endpoint.organizationId }), endpoint)
  })
