/** The events that keys publish to an organization's endpoints. Spec: Events. */
import { defineEvent, SAMPLE_ID, Uuid, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
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

export const credentialRevoked = defineEvent({
  type: "credential.revoked",
  when: "A run found that a provider key is refused, and it was refused again. Once each time a key stops working",
  data: CredentialRevokedData,
  sample: (at) => ({
    key_id: SAMPLE_ID,
    provider: "openai",
    name: "Sample key",
    hint: "sk-…0000",
    workspace_id: SAMPLE_ID,
    run_id: SAMPLE_ID,
    session_id: SAMPLE_ID,
    reason: "rejected_by_provider",
    provider_status: 401,
    provider_code: "invalid_api_key",
    detected_at: DateTime.formatIso(at)
  })
})

/** Every kind of event that this package publishes. */
export const keyEventKinds = [credentialRevoked] as const
