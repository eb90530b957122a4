import type { Endpoint, EndpointHealth, Recipient, RetiringSecret } from "@agent-platform/webhooks"
import { DateTime } from "effect"
import { type ColumnType, json, named, nullable, text, texts, timestamptz, uuid, uuidList } from "../columnTypes.ts"
import { type Fields, group, makeTable } from "../table.ts"

interface StoredSecret {
  readonly sealed: string
  readonly expires_at: string
}

const storedSecrets = json<ReadonlyArray<StoredSecret>>()

const retiringSecrets: ColumnType<ReadonlyArray<RetiringSecret>> = {
  ...storedSecrets,
  toElement: (secrets) =>
    storedSecrets.toElement(
      secrets.map(({ expiresAt, sealed }) => ({ sealed, expires_at: DateTime.formatIso(expiresAt) }))
    ),
  read: (stored) =>
    storedSecrets.read(stored).map(({ expires_at, sealed }) => ({ sealed, expiresAt: DateTime.makeUnsafe(expires_at) }))
}

const endpointFields: Fields<Endpoint> = {
  id: uuid(),
  organizationId: uuid(),
  url: text(),
  eventTypes: texts(),
  workspaceIds: uuidList(),
  description: nullable(text()),
  status: text(),
  disabledReason: nullable(text()),
  sealedSecret: text(),
  retiringSecrets,
  createdAt: timestamptz()
}

/** Endpoints. The table has more columns, for their health. */
export const endpointTable = makeTable<Endpoint>("webhook_endpoint", endpointFields)

/** Endpoints with the part of their health that a sender needs. */
export const recipientTable = makeTable<Recipient>("webhook_endpoint", {
  endpoint: group("", endpointFields),
  failingSince: nullable(timestamptz())
})

/** The health of endpoints. `dead_notice_at` is when their organization was last notified of dead deliveries. */
export const healthTable = makeTable<EndpointHealth>("webhook_endpoint", {
  organizationId: uuid(),
  endpointId: named("id", uuid()),
  status: text(),
  failingSince: nullable(timestamptz()),
  deadNoticeAt: nullable(timestamptz())
})
