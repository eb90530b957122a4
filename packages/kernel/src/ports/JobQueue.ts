import type { DateTime } from "effect"
import { Context, type Effect } from "effect"
import type { JobKind } from "../Job.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** Where work is handed in. Held by `jobQueueContract`. */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /**
     * Enqueues a job in the caller's transaction: it exists if and only if that commits. It is due at `runAt`,
     * else at once; of due jobs a higher `priority` goes first. Waiting workers are woken after the commit.
     *
     * For a singleton kind, a job that waits already takes over this payload and time. Returns false, with nothing enqueued,
     * while the job of a singleton kind is under way; else true.
     */
    readonly enqueue: <Payload>(
      kind: JobKind<Payload>,
      payload: Payload,
      options?: { readonly runAt?: DateTime.Utc | undefined; readonly priority?: number | undefined }
    ) => Effect.Effect<boolean, never, Transaction>
  }
>()("@agent-platform/kernel/JobQueue") {}
