import type { Transaction } from "@agent-platform/kernel"
import { Context, Effect } from "effect"
import type { Workspace } from "./Workspace.ts"

/** Lets others give something to a workspace that is being created, in its transaction; they give nothing unless they are provided. */
export class NewWorkspaces extends Context.Reference<{
  readonly begin: (workspace: Workspace) => Effect.Effect<void, never, Transaction>
}>("@agent-platform/keys/NewWorkspaces", { defaultValue: () => ({ begin: () => Effect.void }) }) {}
