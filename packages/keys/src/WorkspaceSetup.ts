import type { Transaction } from "@agent-platform/kernel"
import { Context, Effect } from "effect"
import type { Workspace } from "./Workspace.ts"

/**
 * A hook for what other domains put into a workspace when it is created: the platform copies the templates of its organization.
 * `createWorkspace` calls `setUp` once for each workspace, after the workspace's row is written and in the same transaction: where it
 * fails there is no workspace. Unless it is provided, workspaces begin empty.
 */
export class WorkspaceSetup extends Context.Reference<{
  readonly setUp: (workspace: Workspace) => Effect.Effect<void, never, Transaction>
}>("@agent-platform/keys/WorkspaceSetup", { defaultValue: () => ({ setUp: () => Effect.void }) }) {}
