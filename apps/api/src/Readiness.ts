import { Context, type Effect } from "effect"

/** Why the service is not ready. */
export type Readiness = "ready" | "database_unreachable" | "migrations_pending"

/** Whether requests can be served: the database answers and its schema is the one this code knows. */
export class ReadinessProbe extends Context.Service<ReadinessProbe, { readonly check: Effect.Effect<Readiness> }>()(
  "@agent-platform/api/ReadinessProbe"
) {}
