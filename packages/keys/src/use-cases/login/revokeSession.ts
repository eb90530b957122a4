import { type Actor, atomic, recordActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { type LoginSessionId, LoginSessionNotFound } from "../../LoginSession.ts"
import type { UserId } from "../../Member.ts"
import { LoginStore } from "../../ports/LoginStore.ts"

/**
 * Ends one of the person's own sessions, from its next request on and for ever. Ending it again returns the same. A logout ends
 * the session of its own request. Fails with LoginSessionNotFound.
 */
export const revokeSession = useCase("keys.revokeSession")(function* (command: {
  readonly userId: UserId
  readonly actor: Actor
  readonly id: LoginSessionId
}) {
  const store = yield* LoginStore
  const at = yield* DateTime.now
  const revoked = yield* store.revoke(command.userId, command.id, at)
  if (revoked === undefined) return yield* new LoginSessionNotFound()
  const { changed, session } = revoked
  if (changed) {
    yield* recordActivity({
      organizationId: session.organizationId,
      workspaceId: null,
      action: "session.revoked",
      actor: command.actor,
      summary: `${command.actor.label} ended a session`,
      resourceType: "login_session",
      resourceId: session.id,
      payload: { provider: session.provider }
    })
  }
  return session
}, atomic)
