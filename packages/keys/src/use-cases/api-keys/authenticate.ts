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
  /** The address of the request; undefined where it is not known, which a key with allowed networks does not accept. */
  readonly clientAddress: string | undefined
}

/** The caller. `workspaceId` is undefined for an organization key whose request names no workspace. */
export interface Authenticated {
  readonly key: ApiKey
  readonly workspaceId: WorkspaceId | undefined
}

/** A key that is accepted from `allowedIps`, and whether it reaches the workspace that the request names. */
interface AcceptedKey extends Authenticated {
  readonly isReachable: boolean
  readonly allowedIps: ReadonlyArray<string>
}

/** Finds the key and demands that its state, and its maker's, is an accepted one. Address and workspace are for `admit` to check. */
const findAccepted = Effect.fnUntraced(function* ({ clientAddress, credential, workspaceId: named }: Authenticate) {
  yield* parseKeyValue(credential)
  const store = yield* ApiKeyStore
  const refused = yield* RefusedKeys
  const found = yield* store.findByHash(yield* hashKeyValue(credential), named)
  if (found === undefined) return yield* new CredentialUnknown()
  const { key, workspaceFound } = found
  const now = yield* DateTime.now
  const ownStatus = statusOf(key, now)
  // A temporary key is accepted as its maker is.
  const maker = key.boundTo === null || !isAccepted(ownStatus) ? undefined : yield* standingOf(key, key.boundTo, now)
  const status = maker?.status ?? ownStatus
  if (!isAccepted(status)) {
    yield* refused.note(key, status, clientAddress)
    return yield* new CredentialRefused({ reason: status })
  }
  const workspaceId = named ?? key.workspaceId ?? undefined
  const isReachable = key.workspaceId === null ? named === undefined || workspaceFound : workspaceId === key.workspaceId
  return { key, workspaceId, isReachable, allowedIps: maker?.allowedIps ?? key.allowedIps }
})

const admit = Effect.fnUntraced(function* (accepted: AcceptedKey, clientAddress: string | undefined) {
  const { allowedIps, isReachable, key, workspaceId } = accepted
  if (!admitsAddress(allowedIps, clientAddress)) {
    yield* RefusedKeys.use((refused) => refused.note(key, "address", clientAddress))
    return yield* new AddressNotAllowed()
  }
  if (!isReachable) return yield* new WorkspaceNotFound()
  const admitted: Authenticated = { key, workspaceId }
  return admitted
})

/**
 * Recognises a key. A malformed credential is refused without a query; any other is read from the store on every call, so that a
 * revocation holds from the next request on. A temporary key is accepted while its maker is, and from its maker's networks. Fails with
 * AddressNotAllowed for a request from another network, and with WorkspaceNotFound for a workspace that the key does not reach.
 * Refusals of known keys are noted. Spec: API keys 4, 5, 10.
 */
export const authenticate = useCase("keys.authenticate")(function* (command: Authenticate) {
  return yield* admit(yield* findAccepted(command), command.clientAddress)
})

/**
 * Recognises the key of long-lived responses, by one read for all of them. The returned `from` checks the address of each as
 * `authenticate` would.
 */
export const recheckKey = useCase("keys.recheckKey")(function* (command: Omit<Authenticate, "clientAddress">) {
  const found = yield* findAccepted({ ...command, clientAddress: undefined })
  const refused = yield* RefusedKeys
  const from = (clientAddress: string | undefined) =>
    Effect.provideService(admit(found, clientAddress), RefusedKeys, refused)
  return { key: found.key, from }
})
