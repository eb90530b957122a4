import type { OrganizationId } from "@agent-platform/kernel"
import type { Endpoint, EndpointId, EndpointStatus } from "@agent-platform/webhooks"
import { readTimestamp } from "../columns.ts"

/** A row of `webhook_endpoint`. */
export interface EndpointRow {
  readonly organization_id: OrganizationId
  readonly id: EndpointId
  readonly url: string
  readonly event_types: ReadonlyArray<string>
  readonly description: string | null
  readonly status: EndpointStatus
  readonly disabled_reason: string | null
  readonly sealed_secret: string
  readonly created_at: Date
}

/** The endpoint in a row. */
export const toEndpoint = (row: EndpointRow): Endpoint => ({
  id: row.id,
  organizationId: row.organization_id,
  url: row.url,
  eventTypes: row.event_types,
  description: row.description,
  status: row.status,
  disabledReason: row.disabled_reason,
  sealedSecret: row.sealed_secret,
  createdAt: readTimestamp(row.created_at)
})

/** Columns by name: with `*`, a column that a later release adds would change the result of a prepared statement. */
export const ENDPOINT_COLUMNS = [
  "organization_id",
  "id",
  "url",
  "event_types",
  "description",
  "status",
  "disabled_reason",
  "sealed_secret",
  "created_at"
] as const
