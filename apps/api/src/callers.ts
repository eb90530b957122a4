/** The caller as the domains know callers. */
import { CurrentCaller } from "@agent-platform/contract"
import type { WorkspaceCaller } from "@agent-platform/kernel"
import { Effect } from "effect"
import { workspaceRequired } from "./edge/problems.ts"

/** The caller inside its workspace. Authentication has made sure that there is one where the endpoint needs it. */
export const workspaceCaller = Effect.gen(function* () {
  const { actor, organizationId, workspaceId } = yield* CurrentCaller
  if (workspaceId === undefined) return yield* workspaceRequired()
  const caller: WorkspaceCaller = { actor, organizationId, workspaceId }
  return caller
})
