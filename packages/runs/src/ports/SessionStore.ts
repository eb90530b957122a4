import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Session, SessionId } from "../Session.ts"

/** Keeps sessions. Held by `sessionStoreContract`. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    readonly insert: (session: Session) => Effect.Effect<void, never, Transaction>
    /**
     * The workspace's session, held until the transaction ends: no run joins it and none of its runs ends meanwhile.
     * Undefined when there is none.
     */
    readonly hold: (workspaceId: WorkspaceId, id: SessionId) => Effect.Effect<Session | undefined, never, Transaction>
  }
>()("@agent-platform/runs/SessionStore") {}
