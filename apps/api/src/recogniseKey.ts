/** Recognises callers by their API key. Spec: API keys; Organization API keys. */
import { type Caller, Forbidden, type NotFound, Unauthorized } from "@agent-platform/contract"
import { parseId, WorkspaceId } from "@agent-platform/kernel"
import { type Authenticated, type CredentialRefused, Keys, platformScopes } from "@agent-platform/keys"
import { Effect, type Redacted } from "effect"
import { workspaceNotFound } from "./edge/problems.ts"
import { countRefusal } from "./refusals.ts"

const malformed = () =>
  new Unauthorized({
    code: "malformed_credential",
    detail: "The credential is not an API key: its form or checksum is wrong"
  })

const unknown = () => new Unauthorized({ code: "invalid_credential", detail: "There is no such API key" })

const refusals = {
  expired: () => new Unauthorized({ code: "credential_expired", detail: "The API key has expired" }),
  revoked: () => new Unauthorized({ code: "credential_revoked", detail: "The API key was revoked" }),
  disabled: () => new Unauthorized({ code: "credential_disabled", detail: "The API key is disabled" })
}

/** The problem of a key that is not accepted, on arrival or later, when the request was to grant something with it. */
export const credentialRefused = ({ reason }: CredentialRefused): Unauthorized => refusals[reason]()

const addressNotAllowed = () =>
  new Forbidden({ code: "ip_not_allowed", detail: "The API key may not be used from this network address" })

const callerOf = ({ key, workspaceId }: Authenticated): Caller => ({
  organizationId: key.organizationId,
  workspaceId,
  actor: { type: "user", id: key.id, label: key.name },
  scopes: platformScopes(key.scopes),
  credential: {
    type: "api_key",
    id: key.id,
    name: key.name,
    kind: key.kind,
    organizationRole: key.organizationRole,
    expiresAt: key.expiresAt,
    allowedIps: key.allowedIps,
    rateLimit: key.rateLimit,
    reads: key.reads
  }
})

type Refused = Effect.Error<ReturnType<Keys["Service"]["authenticate"]>>

const refusalOf = (error: Refused): Unauthorized | Forbidden | NotFound => {
  switch (error._tag) {
    case "MalformedCredential":
      return malformed()
    case "CredentialUnknown":
      return unknown()
    case "CredentialRefused":
      return credentialRefused(error)
    case "AddressNotAllowed":
      return addressNotAllowed()
    case "WorkspaceNotFound":
      return workspaceNotFound()
  }
}

/** The workspace that a request names; undefined for none and for a malformed id. */
const workspaceIdOf = (workspace: string | undefined) =>
  workspace === undefined ? undefined : parseId(WorkspaceId, workspace)

/** The caller of a request that names `workspace`. */
const callerIn = (found: Effect.Effect<Authenticated, Refused>, workspace: string | undefined) =>
  Effect.matchEffect(found, {
    onFailure: (error) => Effect.fail(refusalOf(error)),
    // A malformed workspace id fails like an unknown one, and only after the key was accepted.
    onSuccess: (one) =>
      workspace !== undefined && workspaceIdOf(workspace) === undefined
        ? Effect.fail(workspaceNotFound())
        : Effect.succeed(callerOf(one))
  })

/**
 * Makes the function that recognises the holder of a key, for a request from `clientAddress`. `workspace` is the workspace that
 * the request names, as it was sent.
 */
export const makeRecogniseKey = Effect.map(
  Keys,
  (keys) => (credential: Redacted.Redacted, workspace: string | undefined, clientAddress: string | undefined) =>
    callerIn(
      keys
        .authenticate({ credential, workspaceId: workspaceIdOf(workspace), clientAddress })
        .pipe(Effect.tapError((error) => countRefusal("api_key", error))),
      workspace
    )
)

/** Recognises the holder of a credential that was read again, for a response to `clientAddress`. */
export type Readmit = (clientAddress: string | undefined) => Effect.Effect<Caller, Unauthorized | Forbidden | NotFound>

/** Makes the function that reads a key again, once for responses to any number of addresses. */
export const makeRecheckKey = Effect.map(
  Keys,
  (keys) => (credential: Redacted.Redacted, workspace: string | undefined) =>
    keys.recheckKey({ credential, workspaceId: workspaceIdOf(workspace) }).pipe(
      Effect.mapError(refusalOf),
      Effect.map(
        ({ from }): Readmit =>
          (clientAddress) =>
            callerIn(from(clientAddress), workspace)
      )
    )
)
