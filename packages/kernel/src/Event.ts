/** Events, which are delivered to an organization's endpoints. */
import { DateTime, Schema } from "effect"
import type { EventId, OrganizationId, WorkspaceId } from "./Ids.ts"

/** A kind of event: its wire type, the schema of its data, and what documentation and test deliveries need. */
export interface EventKind<out Type extends string, Data extends Schema.Constraint> {
  readonly type: Type
  /** When it is published, for those who receive it: one sentence or more, without a period at the end. */
  readonly when: string
  readonly data: Data
  /**
   * Whether it is sent only to endpoints that name it, as every kind is that came after the first release, so that nobody is
   * sent what they did not ask for. Spec: Events 4.
   */
  readonly byName?: true
  /** The data of a test event at this time. Its ids are `SAMPLE_ID`. */
  readonly sample: (at: DateTime.Utc) => Data["Encoded"]
}

/** A moment in the data of an event: ISO 8601 in UTC, with milliseconds. */
export const EventTime = Schema.String.annotate({ format: "date-time" })

/** Money in the data of an event: a decimal without an exponent, with 2 to 12 decimals. */
export const EventUsd = Schema.String.annotate({ format: "usd" })

/** The id of everything that a sample names: there is nothing under it. */
export const SAMPLE_ID = "00000000-0000-7000-8000-000000000000"

// Filled by `defineEvent`, since a stored event has only its type. Every process that publishes or dispatches events has loaded the
// declarations of their kinds.
const sentByName = new Set<string>()

/**
 * Declares a kind of event. In the list of kinds of its package it is complete: subscriptions, the schema of what
 * receivers get, test events, OpenAPI and the table in docs/webhooks.md follow from that.
 */
export const defineEvent = <
  const Type extends string,
  Data extends Schema.Constraint,
  const Sample extends Data["Encoded"]
>(
  kind: EventKind<Type, Data> & { readonly sample: (at: DateTime.Utc) => Sample }
): EventKind<Type, Data> => {
  if (kind.byName) sentByName.add(kind.type)
  return kind
}

/** Whether this kind of event is sent only to endpoints that name it. */
export const isByName = (type: string): boolean => sentByName.has(type)

/** One event as it is kept: what deliveries sign and send is its `bodyOf`. */
export interface EventRecord {
  readonly id: EventId
  readonly type: string
  readonly organizationId: OrganizationId
  /** The workspace it is about; null for an event about the organization itself. */
  readonly workspaceId: WorkspaceId | null
  readonly createdAt: DateTime.Utc
  /** Its data as JSON text, which is sent to the byte. */
  readonly data: string
  /** The run that it reports on, if it is about one: by it the event is found when the run is erased. */
  readonly runId?: string | undefined
  /** The `traceparent` of the work that it reports, where that is recorded. */
  readonly trace?: string | undefined
}

/**
 * The envelope's JSON, the very bytes that every delivery signs and sends: the same for an event each time. `created_at` carries a numeric
 * offset, as the spec demands of the envelope alone.
 */
export const bodyOf = ({
  createdAt,
  data,
  id,
  type
}: Pick<EventRecord, "id" | "type" | "createdAt" | "data">): string =>
  `{"id":"${id}","type":${JSON.stringify(type)},"created_at":"${DateTime.formatIso(createdAt).replace("Z", "+00:00")}","data":${data}}`
