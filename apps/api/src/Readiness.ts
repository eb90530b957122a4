import { Context, type Effect } from "effect"

/** Whether the service is ready, or the reason why it is not. */
export type Readiness =
  | "ready"
  | "database_unreachable"
  | "database_read_only"
  | "database_pooled"
  | "migrations_pending"

/** Checks whether requests can be served: the database answers and takes writes, and its schema fits this code. */
export class ReadinessProbe extends Context.Service<ReadinessProbe, { readonly check: Effect.Effect<Readiness> }>()(
  "@agent-platform/api/ReadinessProbe"
) {}
