/** The events that keys publish to an organization's endpoints. Spec: Events. */
import { defineEvent, Uuid, WorkspaceId } from "@agent-platform/kernel"
import { Schema } from "effect"
import { Provider, ProviderKeyId } from "./ProviderKey.ts"

/** What credential.revoked says: which key a run found to be refused by its provider, and how. */
export const CredentialRevokedData = Schema.Struct({
  key_id: ProviderKeyId,
  provider: Provider,
  name: Schema.String,
  hint: Schema.String,
  workspace_id: WorkspaceId,
  run_id: Uuid,
  session_id: Uuid,
  reason: Schema.Literal("rejected_by_provider"),
  provider_status: Schema.NullOr(Schema.Int),
  provider_code: Schema.NullOr(Schema.String),
  detected_at: Schema.String
})

export const credentialRevoked = defineEvent("credential.revoked", CredentialRevokedData)

/** Every event kind of this package. */
export const events = [credentialRevoked] as const
