import { type OrganizationId, type TemplateKind, TemplateStore, type WorkspaceId } from "@agent-platform/kernel"
import { type FollowTemplate, followToolSecret } from "@agent-platform/keys"
import { Effect } from "effect"

/** How a workspace comes to follow a template of each kind, in the caller's transaction. */
const followers = { tool_secret: followToolSecret } satisfies Record<TemplateKind, unknown>

/** Brings a workspace to the version of a template that is held. */
export const follow = (given: FollowTemplate) => followers[given.template.kind](given)

/** Gives a workspace that begins all templates of its organization, in the caller's transaction. */
export const followAll = Effect.fnUntraced(function* (organizationId: OrganizationId, workspaceId: WorkspaceId) {
  const store = yield* TemplateStore
  for (const one of yield* store.allToFollow(organizationId)) {
    yield* follow({ ...one, workspace: { organizationId, workspaceId } })
  }
})
