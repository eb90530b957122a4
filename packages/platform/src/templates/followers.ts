import {
  beginTemplate,
  type FollowTemplate,
  followTemplate,
  type OrganizationId,
  type TemplateFollower,
  type TemplateKind,
  TemplateStore,
  type WorkspaceId
} from "@agent-platform/kernel"
import { followProviderKey, followToolSecret } from "@agent-platform/keys"
import { followAgent } from "@agent-platform/runs"
import { Effect } from "effect"

type PortsOf<Part extends "begin" | "goOn" | "holdCount"> = Effect.Services<
  ReturnType<(typeof followAgent | typeof followProviderKey | typeof followToolSecret)[Part]>
>

/** How the rows of workspaces follow a template of each kind. */
const followers: Readonly<Record<TemplateKind, TemplateFollower<PortsOf<"begin" | "holdCount">, PortsOf<"goOn">>>> = {
  agent: followAgent,
  provider_key: followProviderKey,
  tool_secret: followToolSecret
}

/** Brings a workspace to the version of a template that is held, in the caller's transaction. */
export const follow = (given: FollowTemplate) => followTemplate(followers[given.template.kind], given)

/** Copies all templates of its organization into a new workspace, in the caller's transaction. */
export const beginAll = Effect.fnUntraced(function* (organizationId: OrganizationId, workspaceId: WorkspaceId) {
  const store = yield* TemplateStore
  for (const one of yield* store.allToFollow(organizationId)) {
    yield* beginTemplate(followers[one.template.kind], { ...one, workspace: { organizationId, workspaceId } })
  }
})
