import { Context, type Effect } from "effect"
import type { Job, JobKind } from "../Job.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** Where workers take work. Held by `jobQueueContract` together with `JobQueue`. */
export class JobSource extends Context.Service<
  JobSource,
  {
    /**
     * Takes up to `max` due jobs, none of which any other worker holds. A job is held until it is completed or
     * released, or until its holder's process is gone: then it is due again within 15 seconds, for whoever takes next.
     * A holder that lives and forgets a job keeps it from everybody else, so it takes and acts uninterruptibly.
     */
    readonly take: <Payload>(kind: JobKind<Payload>, max: number) => Effect.Effect<ReadonlyArray<Job<Payload>>>
    /**
     * Completes jobs in the transaction of what they did, and answers the ids completed. A job that was retaken
     * meanwhile is not this holder's any more: it is left alone and missing from the answer.
     */
    readonly complete: <Payload>(
      jobs: ReadonlyArray<Job<Payload>>
    ) => Effect.Effect<ReadonlySet<string>, never, Transaction>
    /** Hands jobs back undone; they are due again at once, or after `delaySeconds`. */
    readonly release: <Payload>(
      jobs: ReadonlyArray<Job<Payload>>,
      options?: { readonly delaySeconds?: number | undefined }
    ) => Effect.Effect<void>
  }
>()("@agent-platform/kernel/JobSource") {}
