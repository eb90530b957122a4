import { JobAlreadyRunning, type JobSource } from "@agent-platform/kernel"
import { Effect, Exit, Schema } from "effect"
import type { Boss } from "./Boss.ts"
import { LOST_AFTER_SECONDS, SINGLETON_KEY } from "./queues.ts"
import { readJob } from "./work.ts"

/** A new job becomes due only after this time, so that no worker takes it before this process does. */
const RESERVED_SECONDS = 30

const HEARTBEAT_SECONDS = LOST_AFTER_SECONDS / 2

/** The ids of the jobs that a heartbeat was written for: none where the job is held elsewhere. They are not in pg-boss's types. */
const settledIds = Schema.decodeUnknownSync(Schema.Struct({ settled: Schema.Array(Schema.String) }))

/**
 * Takes the one job of a singleton's queue, due or not, or a new one, and handles it with heartbeats. It takes any job of the queue, so
 * it is right for singletons alone.
 */
export const doNow =
  (boss: Boss["Service"]): JobSource["Service"]["doNow"] =>
  (kind, payload, handle) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const data = Schema.encodeSync(kind.payload)(payload) as object
        const taken = yield* boss.use(async (pgBoss) => {
          // The queue's policy is exclusive: where its job is under way elsewhere, this adds none, and nothing is fetched.
          await pgBoss.upsert(kind.name, data, { singletonKey: SINGLETON_KEY, startAfter: RESERVED_SECONDS })
          const [job] = await pgBoss.fetch(kind.name, { ignoreStartAfter: true })
          return job
        })
        if (taken === undefined) return yield* new JobAlreadyRunning({ name: kind.name })

        const heartbeat = boss
          .use((pgBoss) => pgBoss.touch(kind.name, taken))
          .pipe(
            Effect.flatMap((answer) =>
              settledIds(answer).settled.length > 0
                ? Effect.void
                : Effect.die(new Error(`The job ${kind.name} was given to another process`))
            )
          )
        const beating = Effect.forever(Effect.andThen(Effect.sleep(`${HEARTBEAT_SECONDS} seconds`), heartbeat))
        const handling = Effect.suspend(() => handle(readJob(kind, taken)))
        return yield* Effect.onExit(restore(Effect.raceFirst(handling, beating)), (exit) =>
          boss.use((pgBoss) =>
            Exit.isSuccess(exit)
              ? pgBoss.complete(kind.name, taken)
              : // It stays in the queue, and a worker tries it again.
                pgBoss.fail(kind.name, taken, { message: "The job did not come to its end" })
          )
        )
      })
    )
