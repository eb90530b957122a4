import { type Actor, notify, publish } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { byokInvalid, credentialRevoked } from "../../events.ts"
import type { ProviderKey } from "../../ProviderKey.ts"
import type { AnswerCodes } from "../../ProviderKeyHealth.ts"
import { recordKey, SYSTEM } from "./keyActivity.ts"

/** The run whose call a provider refused. */
export interface FindingRun {
  readonly runId: string
  readonly sessionId: string
  /** Its agent, for the activity feed. */
  readonly agent: { readonly id: string; readonly name: string }
}

/**
 * Reports a key that has just become invalid, in the same transaction: by a notice, an activity entry and an event. The event is
 * `credential.revoked` where a run has found out, else `byok.invalid`. Spec: Events.
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
  const actor: Actor = run === undefined ? SYSTEM : { type: "agent", id: run.agent.id, label: run.agent.name }
  yield* recordKey("invalidated", actor, key, facts)
  yield* notify({
    organizationId,
    workspaceId,
    type: "credential.revoked",
    title: `The provider key '${name}' is refused`,
    body: `${provider} does not take the key ${hint} any more. Runs do not use it until it is replaced or accepted again.`,
    payload: run === undefined ? facts : { ...facts, run_id: run.runId, session_id: run.sessionId }
  })
  const about = { organizationId, workspaceId }
  const data = {
    ...facts,
    workspace_id: workspaceId,
    reason: "rejected_by_provider",
    detected_at: DateTime.formatIso(yield* DateTime.now)
  } as const
  yield* run === undefined
    ? publish(byokInvalid, about, { ...data, run_id: null, session_id: null })
    : publish(credentialRevoked, about, { ...data, run_id: run.runId, session_id: run.sessionId })
})
