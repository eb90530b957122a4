import { useCase } from "@agent-platform/toolkit"
import type { WorkspaceId } from "./Ids.ts"
import { TemplateStore } from "./ports/TemplateStore.ts"

/**
 * Notes in the caller's transaction what a workspace has set for itself of a row: from then on a template leaves that alone. Does
 * nothing for a row that follows none.
 */
export const noteOverridden = useCase("kernel.noteOverridden")(function* (
  workspaceId: WorkspaceId,
  resourceId: string,
  names: ReadonlyArray<string>
) {
  const store = yield* TemplateStore
  const member = names.length === 0 ? undefined : yield* store.holdMemberOf(workspaceId, resourceId)
  if (member === undefined) return
  const overridden = [...new Set([...member.overridden, ...names])].sort()
  yield* store.putMember({ ...member, overridden })
})
