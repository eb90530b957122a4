import type { WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import { admitsAddress } from "../../AllowedIps.ts"
import {
  AddressNotAllowed,
  type ApiKey,
  CredentialRefused,
  CredentialUnknown,
  isAccepted,
  statusOf
} from "../../ApiKey.ts"
import { hashKeyValue, parseKeyValue } from "../../KeyValue.ts"
import { ApiKeyStore } from "../../ports/ApiKeyStore.ts"
import { RefusedKeys } from "../../RefusedKeys.ts"
import { WorkspaceNotFound } from "../../Workspace.ts"
import { standingOf } from "./standingOf.ts"

export interface Authenticate {
  readonly credential: Redacted.Redacted
  /** The workspace that the request names, if it names one. */
  readonly workspaceId: WorkspaceId | undefined
  /** The address of the request; undefined where it is not known. Keys with allowed addresses refuse that. */
  readonly clientAddress: string | undefined
}

/** Who asks. `workspaceId` is undefined for an organization key that named no workspace. */
export interface Authenticated {
  readonly key: ApiKey
  readonly workspaceId: WorkspaceId | undefined
}

/** An accepted key, its reach within the request's workspace, and the networks that it is accepted from. */
interface Found extends Authenticated {
  readonly isReachable: boolean
  readonly allowedIps: ReadonlyArray<string>
}

const find = Effect.fnUntraced(function* ({ clientAddress, credential, workspaceId: named }: Authenticate) {
  yield* parseKeyValue(credential)
  const store = yield* ApiKeyStore
  const refused = yield* RefusedKeys
  const found = yield* store.findByHash(yield* hashKeyValue(credential), named)
  if (found === undefined) return yield* new CredentialUnknown()
  const { key, workspaceFound } = found
  const now = yield* DateTime.now
  const own = statusOf(key, now)
  const maker = key.boundTo === null || !isAccepted(own) ? undefined : yield* standingOf(key, key.boundTo, now)
  const status = maker?.status ?? own
  if (!isAccepted(status)) {
    yield* refused.note(key, status, clientAddress)
    return yield* new CredentialRefused({ reason: status })
  }
  const workspaceId = named ?? key.workspaceId ?? undefined
  const isReachable = key.workspaceId === null ? named === undefined || workspaceFound : workspaceId === key.workspaceId
  return { key, workspaceId, isReachable, allowedIps: maker?.allowedIps ?? key.allowedIps }
})

const admit = Effect.fnUntraced(function* (found: Found, clientAddress: string | undefined) {
  const { allowedIps, isReachable, key, workspaceId } = found
  if (!admitsAddress(allowedIps, clientAddress)) {
    yield* RefusedKeys.use((refused) => refused.note(key, "address", clientAddress))
    return yield* new AddressNotAllowed()
  }
  if (!isReachable) return yield* new WorkspaceNotFound()
  const admitted: Authenticated = { key, workspaceId }
  return admitted
})

/**
 * Recognises a key. Reads the store on every call, so that a revocation holds on the very next request, and not at
 * all for a malformed credential. A temporary key is accepted while its maker is, and from where its maker is. Fails with
 * AddressNotAllowed when the key may not be used from there. A workspace in which the key has no say is WorkspaceNotFound. Refusals
 * of a key that is there are noted. Spec: API keys 4, 5, 10.
 */
export const authenticate = useCase("keys.authenticate")(function* (command: Authenticate) {
  return yield* admit(yield* find(command), command.clientAddress)
})

/**
 * Recognises the key of long-lived answers, by one read for all of them: answers as `authenticate` would to
 * a request from a given address.
 */
export const recheckKey = useCase("keys.recheckKey")(function* (command: Omit<Authenticate, "clientAddress">) {
  const found = yield* find({ ...command, clientAddress: undefined })
  const refused = yield* RefusedKeys
  const from = (clientAddress: string | undefined) =>
    Effect.provideService(admit(found, clientAddress), RefusedKeys, refused)
  return { key: found.key, from }
})
