/** Converts the caller of a request into the callers of the domains. */
import { type BadRequest, type Caller, CurrentCaller } from "@agent-platform/contract"
import type { WorkspaceCaller } from "@agent-platform/kernel"
import { type KeyGrantor, LoginSessionId } from "@agent-platform/keys"
import { Effect } from "effect"
import { workspaceRequired } from "./edge/problems.ts"

/** A caller inside its workspace. Authentication has checked that there is one where the endpoint needs it. */
export const inWorkspace = ({
  actor,
  organizationId,
  workspaceId
}: Caller): Effect.Effect<WorkspaceCaller, BadRequest> =>
  workspaceId === undefined ? Effect.fail(workspaceRequired()) : Effect.succeed({ actor, organizationId, workspaceId })

/** The caller as a grantor. A person without a role has no scopes either, so the role `viewer` gives nothing. */
export const grantorOf = ({ actor, credential, scopes }: Caller): KeyGrantor =>
  credential.type === "session"
    ? { actor, scopes, key: null, session: LoginSessionId.make(credential.id), role: credential.user.role ?? "viewer" }
    : { actor, scopes, key: credential, session: null, role: null }

/** The current caller inside its workspace. */
export const workspaceCaller = Effect.flatMap(CurrentCaller, inWorkspace)
