import type { Page, PageRequest, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { RunPageRequest } from "../RunList.ts"
import type { Session, SessionId } from "../Session.ts"
import type { BeginningFilter, SessionBeginning } from "../SessionList.ts"
import type { SessionMessage } from "../SessionMessage.ts"

/** Keeps sessions, which begin with their first run. Tested by `runStoreContract` and `sessionListContract`. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    readonly find: (workspaceId: WorkspaceId, id: SessionId) => Effect.Effect<Session | undefined>
    /**
     * The workspace's session, locked until the transaction ends: no run joins it and none of its runs ends meanwhile.
     * Undefined when there is none.
     */
    readonly hold: (workspaceId: WorkspaceId, id: SessionId) => Effect.Effect<Session | undefined, never, Transaction>
    /** The session's messages, newest first: `before` is the place of the last message already seen. */
    readonly messages: (id: SessionId, page: PageRequest) => Effect.Effect<Page<SessionMessage>>
    /**
     * The beginnings of the workspace's sessions, newest first by (createdAt, runId). Sessions that begin meanwhile do not
     * shift the following pages.
     */
    readonly beginnings: (
      workspaceId: WorkspaceId,
      filter: BeginningFilter,
      page: RunPageRequest
    ) => Effect.Effect<Page<SessionBeginning>>
  }
>()("@agent-platform/runs/SessionStore") {}
