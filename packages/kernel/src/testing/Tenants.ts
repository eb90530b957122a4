import { Context, Effect, Layer } from "effect"
import { OrganizationId, WorkspaceId } from "../Ids.ts"
import { anId } from "./builders.ts"

/** A workspace and the organization that holds it. */
export interface Tenant {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

/**
 * Makes the tenants that a contract suite writes for, since the rows of some stores refer to workspaces that must be there.
 * Suites over other stores use `Tenants.layerUnfounded`.
 */
export class Tenants extends Context.Service<
  Tenants,
  {
    /** Makes this workspace, and its organization if that is not there yet. */
    readonly make: (tenant: Tenant) => Effect.Effect<void>
  }
>()("@agent-platform/kernel/testing/Tenants") {
  /** Makes nothing: for stores that take any id for a tenant's. */
  static readonly layerUnfounded: Layer.Layer<Tenants> = Layer.succeed(Tenants, { make: () => Effect.void })
}

/** A workspace that is in the store, in an organization of its own unless told otherwise. */
export const aTenant = (override: Partial<Tenant> = {}): Effect.Effect<Tenant, never, Tenants> =>
  Tenants.use((tenants) => {
    const tenant = { organizationId: anId(OrganizationId), workspaceId: anId(WorkspaceId), ...override }
    return Effect.as(tenants.make(tenant), tenant)
  })
