/** The events that keys publish to an organization's endpoints. Spec: Events. */
import { defineEvent, EventTime, SAMPLE_ID, Uuid, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import { Provider, ProviderKeyId } from "./ProviderKey.ts"

const key = {
  key_id: ProviderKeyId.annotateKey({ description: "The provider key" }),
  provider: Provider.annotateKey({ description: "Whose models it is for" }),
  name: Schema.String.annotateKey({ description: "What the key is for" }),
  hint: Schema.String.annotateKey({ description: "What may be shown of the key" }),
  workspace_id: WorkspaceId.annotateKey({ description: "The workspace whose key it is" })
}

const refusal = {
  reason: Schema.Literal("rejected_by_provider").annotateKey({ description: "Why it is of no use any more" }),
  provider_status: Schema.NullOr(Schema.Int).annotateKey({
    description: "The status that the provider answered"
  }),
  provider_code: Schema.NullOr(Schema.String).annotateKey({
    description: "The provider's own code; null where it gave none that can be shown"
  }),
  detected_at: EventTime.annotateKey({ description: "When, as ISO 8601 in UTC" })
}

/** The data of credential.revoked: which key a run found to be refused by its provider, and how. */
export const CredentialRevokedData = Schema.Struct({
  ...key,
  run_id: Uuid.annotateKey({ description: "The run that found out" }),
  session_id: Uuid.annotateKey({ description: "The session of that run" }),
  ...refusal
})

/** The data of byok.invalid: as that of credential.revoked, without a run. */
export const ByokInvalidData = Schema.Struct({
  ...key,
  run_id: Schema.Null.annotateKey({ description: "None: no run found out" }),
  session_id: Schema.Null.annotateKey({ description: "None" }),
  ...refusal
})

const sampleOf = (at: DateTime.Utc) =>
  ({
    key_id: SAMPLE_ID,
    provider: "openai",
    name: "Sample key",
    hint: "sk-…0000",
    workspace_id: SAMPLE_ID,
    reason: "rejected_by_provider",
    provider_status: 401,
    provider_code: "invalid_api_key",
    detected_at: DateTime.formatIso(at)
  }) as const

export const credentialRevoked = defineEvent({
  type: "credential.revoked",
  when: "A run found that a provider key is refused, and it was refused again. Once each time a key stops working",
  data: CredentialRevokedData,
  sample: (at) => ({ ...sampleOf(at), run_id: SAMPLE_ID, session_id: SAMPLE_ID })
})

export const byokInvalid = defineEvent({
  type: "byok.invalid",
  when: "The platform asked about a provider key that no run was using, and it is refused. Once each time a key stops working",
  byName: true,
  data: ByokInvalidData,
  sample: (at) => ({ ...sampleOf(at), run_id: null, session_id: null })
})

/** Every kind of event that this package publishes. */
export const keyEventKinds = [credentialRevoked, byokInvalid] as const
