import type { OrganizationId } from "@agent-platform/kernel"
import type { Endpoint, EndpointId, EndpointStatus, RetiringSecret } from "@agent-platform/webhooks"
import type { PgTypes } from "@effect/sql-pg"
import { DateTime } from "effect"
import { jsonb, readTimestamp } from "../columns.ts"

/** A secret in the column `retiring_secrets`. */
interface RetiringSecretJson {
  readonly sealed: string
  readonly expires_at: string
}

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
  readonly retiring_secrets: ReadonlyArray<RetiringSecretJson>
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
  retiringSecrets: row.retiring_secrets.map((one) => ({
    sealed: one.sealed,
    expiresAt: DateTime.makeUnsafe(one.expires_at)
  })),
  createdAt: readTimestamp(row.created_at)
})

/** These as the column `retiring_secrets` holds them. */
export const retiringSecretsColumn = (secrets: ReadonlyArray<RetiringSecret>): PgTypes.Parameter =>
  jsonb(
    secrets.map((one): RetiringSecretJson => ({ sealed: one.sealed, expires_at: DateTime.formatIso(one.expiresAt) }))
  )

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
  "retiring_secrets",
  "created_at"
] as const
