import type { Page, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Run, RunId } from "../Run.ts"
import type { RunFilter, RunOpening, RunPageRequest } from "../RunList.ts"
import type { HeldRun } from "./RunSettlement.ts"

/** Finds runs. Tested by `runStoreContract` and `runListContract`. */
export class RunReader extends Context.Service<
  RunReader,
  {
    readonly find: (workspaceId: WorkspaceId, id: RunId) => Effect.Effect<Run | undefined>
    /**
     * The run with its claim, in any workspace: for an agent that shows by its attempt's token or by its signature, not by a
     * credential of the workspace, that it executes the run.
     */
    readonly findHeld: (id: RunId) => Effect.Effect<HeldRun | undefined>
    /**
     * The workspace's runs that match the filter, newest first by (createdAt, id). Runs that are triggered meanwhile
     * do not shift the following pages.
     */
    readonly list: (workspaceId: WorkspaceId, filter: RunFilter, page: RunPageRequest) => Effect.Effect<Page<Run>>
    /** The same page as `list`, but of each run only what a search looks at. */
    readonly openings: (
      workspaceId: WorkspaceId,
      filter: RunFilter,
      page: RunPageRequest
    ) => Effect.Effect<Page<RunOpening>>
    /** The ids of unfinished runs among these, which may be ids of anything, in any form. */
    readonly unfinishedAmong: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
  }
>()("@agent-platform/runs/RunReader") {}
