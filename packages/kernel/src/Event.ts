/** Events: what an organization's endpoints are told. Spec: Events. */
import { DateTime, type Schema } from "effect"
import type { EventId, OrganizationId, WorkspaceId } from "./Ids.ts"

/** A kind of event: its wire type and the schema of its data. */
export interface EventKind<out Type extends string, Data extends Schema.Constraint> {
  readonly type: Type
  readonly data: Data
}

/** Declares a kind of event. Add it to the `events` tuple of its package, and contract and OpenAPI follow. */
export const defineEvent = <const Type extends string, Data extends Schema.Constraint>(
  type: Type,
  data: Data
): EventKind<Type, Data> => ({ type, data })

/**
 * One event as it is kept: `body` is the envelope's JSON, the very bytes that every delivery signs and
 * sends. Spec: Webhook event envelope; Signature 1.
 */
export interface EventRecord {
  readonly id: EventId
  readonly type: string
  readonly organizationId: OrganizationId
  /** The workspace it is about; null for an event about the organization itself. */
  readonly workspaceId: WorkspaceId | null
  readonly createdAt: DateTime.Utc
  readonly body: string
  /** The `traceparent` of what it reports, where that is recorded. */
  readonly trace?: string | undefined
}

/** The envelope's JSON. `created_at` carries a numeric offset, as the spec demands of the envelope alone. */
export const encodeEnvelope = (event: {
  readonly id: EventId
  readonly type: string
  readonly createdAt: DateTime.Utc
  readonly data: unknown
}): string =>
  JSON.stringify({
    id: event.id,
    type: event.type,
    created_at: DateTime.formatIso(event.createdAt).replace("Z", "+00:00"),
    data: event.data
  })
