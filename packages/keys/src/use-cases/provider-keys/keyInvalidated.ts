import { notify, publish } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { credentialRevoked } from "../../events.ts"
import type { ProviderKey } from "../../ProviderKey.ts"
import type { AnswerCodes } from "../../ProviderKeyHealth.ts"
import { recordKey, SYSTEM } from "./keyActivity.ts"

/** The run that found a key refused. */
export interface FindingRun {
  readonly runId: string
  readonly sessionId: string
}

/**
 * Reports a key that has just become invalid, in the same transaction: by a notice and an activity entry, and where a run has
 * found out, by the event `credential.revoked`. Spec: Events.
 */
export const notifyInvalidated = Effect.fnUntraced(function* (
  key: ProviderKey,
  answer: AnswerCodes,
  run: FindingRun | undefined
) {
  const { hint, name, organizationId, provider, workspaceId } = key
  const facts = {
    key_id: key.id,
    provider,
    name,
    hint,
    provider_status: answer.providerStatus,
    provider_code: answer.providerCode
  }
  yield* recordKey("invalidated", SYSTEM, key, facts)
  yield* notify({
    organizationId,
    workspaceId,
    type: "credential.revoked",
    title: `The provider key '${name}' is refused`,
    body: `${provider} does not take the key ${hint} any more. Runs do not use it until it is replaced or accepted again.`,
    payload: run === undefined ? facts : { ...facts, run_id: run.runId, session_id: run.sessionId }
  })
  if (run === undefined) return
  yield* publish(
    credentialRevoked,
    { organizationId, workspaceId },
    {
      ...facts,
      key_id: key.id,
      workspace_id: workspaceId,
      run_id: run.runId,
      session_id: run.sessionId,
      reason: "rejected_by_provider",
      detected_at: DateTime.formatIso(yield* DateTime.now)
    }
  )
})
