import type { WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Redacted } from "effect"
import { CredentialRefused, CredentialUnknown } from "../../ApiKey.ts"
import { MalformedCredential } from "../../KeyValue.ts"
import { derive, hashLoginSecret, isLoginSecret } from "../../LoginSecret.ts"
import { type LoginSession, loginSessionStatusOf } from "../../LoginSession.ts"
import type { User } from "../../Member.ts"
import { LoginStore, roleOfFound } from "../../ports/LoginStore.ts"
import { type Role, scopesOfRole } from "../../Role.ts"
import type { Scope } from "../../Scope.ts"
import { WorkspaceNotFound } from "../../Workspace.ts"

/** The person behind a request, and their rights in the workspace. */
export interface RecognisedSession {
  readonly session: LoginSession
  readonly user: User
  /** The workspace that the request names. */
  readonly workspaceId: WorkspaceId | undefined
  /** The person's role in that workspace, or else in the organization; null for none there. */
  readonly role: Role | null
  readonly scopes: ReadonlyArray<Scope>
  /** The token that unsafe requests of the session must carry. */
  readonly csrfToken: Redacted.Redacted
}

/**
 * Recognises a session by its secret. It reads the store on every call except for malformed secrets, so that a revocation, an
 * expiry and a lost membership hold from the next request on. Fails with WorkspaceNotFound for a workspace that is unknown or in
 * which the person has no role. Spec: OAuth.
 */
export const recogniseSession = useCase("keys.recogniseSession")(function* (command: {
  readonly secret: Redacted.Redacted
  readonly workspaceId: WorkspaceId | undefined
}) {
  const { secret, workspaceId } = command
  if (!isLoginSecret(secret)) return yield* new MalformedCredential()
  const store = yield* LoginStore
  const found = yield* store.findByHash(yield* hashLoginSecret(secret), workspaceId)
  if (found === undefined) return yield* new CredentialUnknown()
  const { session, user, workspaceFound } = found
  const status = loginSessionStatusOf(session, yield* DateTime.now)
  if (status !== "active") return yield* new CredentialRefused({ reason: status })
  const role = roleOfFound(found, workspaceId)
  if (workspaceId !== undefined && (!workspaceFound || role === null)) return yield* new WorkspaceNotFound()
  const recognised: RecognisedSession = {
    session,
    user,
    workspaceId,
    role,
    scopes: role === null ? [] : scopesOfRole(role),
    csrfToken: Redacted.make(derive(secret, "csrf"))
  }
  return recognised
})
