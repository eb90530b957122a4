import { useCase, type WorkspaceId } from "@agent-platform/kernel"
import { DateTime, type Redacted } from "effect"
import { admitsAddress } from "../../AllowedIps.ts"
import { AddressNotAllowed, type ApiKey, CredentialRefused, CredentialUnknown, statusOf } from "../../ApiKey.ts"
import { hashKeyValue, parseKeyValue } from "../../KeyValue.ts"
import { ApiKeyStore } from "../../ports/ApiKeyStore.ts"
import { RefusedKeys } from "../../RefusedKeys.ts"
import { WorkspaceNotFound } from "../../Workspace.ts"

export interface Authenticate {
  readonly credential: Redacted.Redacted
  /** The workspace that the request names, if it names one. */
  readonly workspaceId: WorkspaceId | undefined
  /** Where the request came from; undefined where that is not known, which no key with allowed addresses accepts. */
  readonly clientAddress: string | undefined
}

/** Who asks. `workspaceId` is undefined for an organization key that named no workspace. */
export interface Authenticated {
  readonly key: ApiKey
  readonly workspaceId: WorkspaceId | undefined
}

/**
 * Recognises a key. Reads the store on every call, so that a revocation holds on the very next request, and not at
 * all for a malformed credential. Fails with AddressNotAllowed when the key may not be used from there. A workspace in
 * which the key has no say is WorkspaceNotFound. Refusals of a key that is there are noted. Spec: API keys 4, 5.
 */
export const authenticate = useCase("keys.authenticate")(function* (command: Authenticate) {
  yield* parseKeyValue(command.credential)
  const store = yield* ApiKeyStore
  const refused = yield* RefusedKeys
  const hash = yield* hashKeyValue(command.credential)
  const found = yield* store.findByHash(hash, command.workspaceId)
  if (found === undefined) return yield* new CredentialUnknown()
  const status = statusOf(found.key, yield* DateTime.now)
  if (status !== "active" && status !== "rotating") {
    yield* refused.note(found.key, status, command.clientAddress)
    return yield* new CredentialRefused({ reason: status })
  }
  if (!admitsAddress(found.key.allowedIps, command.clientAddress)) {
    yield* refused.note(found.key, "address", command.clientAddress)
    return yield* new AddressNotAllowed()
  }
  const workspaceId = command.workspaceId ?? found.key.workspaceId ?? undefined
  const reachable =
    found.key.workspaceId === null
      ? command.workspaceId === undefined || found.workspaceFound
      : workspaceId === found.key.workspaceId
  if (!reachable) return yield* new WorkspaceNotFound()
  const authenticated: Authenticated = { key: found.key, workspaceId }
  return authenticated
})
