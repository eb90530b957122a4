import { Context, type Effect } from "effect"

/** Whether the service is ready, and why it is not. */
export type Readiness =
  | "ready"
  | "database_unreachable"
  | "database_read_only"
  | "database_pooled"
  | "migrations_pending"

/** Whether requests can be served: the database answers and takes writes, and its schema serves this code. */
export class ReadinessProbe extends Context.Service<ReadinessProbe, { readonly check: Effect.Effect<Readiness> }>()(
  "@agent-platform/api/ReadinessProbe"
) {}
