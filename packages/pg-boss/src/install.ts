/** Installs pg-boss's schema and our queues in a database. */
import type { QueueOfJobs } from "@agent-platform/kernel"
import { Data, Effect } from "effect"
import { PgBoss } from "pg-boss"
import { optionsOf, type PgBossConnection } from "./connection.ts"
import { policyOf, settingsOf } from "./queues.ts"

/** pg-boss could not be installed, or only in part; trying again installs the rest. */
export class InstallFailed extends Data.TaggedError("InstallFailed")<{ readonly cause: unknown }> {
  override readonly message = "pg-boss could not be installed"
}

const tried = <A>(act: () => Promise<A>) =>
  Effect.tryPromise({ try: act, catch: (cause) => new InstallFailed({ cause }) })

/**
 * Installs or updates pg-boss's schema and makes the queues of these kinds, or updates their settings. Any number
 * of processes may do so at once, and beside running workers. The role must be allowed to create a schema.
 */
export const install = (
  connection: PgBossConnection,
  kinds: ReadonlyArray<QueueOfJobs>
): Effect.Effect<void, InstallFailed> =>
  Effect.acquireUseRelease(
    Effect.map(optionsOf(connection, 0), (options) => {
      const boss = new PgBoss({ ...options, supervise: false, schedule: false })
      // Errors that matter are thrown as well; without a listener an event of this name would end the process.
      boss.on("error", () => undefined)
      return boss
    }),
    (boss) =>
      tried(async () => {
        await boss.start()
        for (const kind of kinds) {
          const policy = policyOf(kind)
          const queue = await boss.getQueue(kind.name)
          // The policy of a queue cannot be changed, so the queue is made anew. The clock enqueues its jobs again.
          if (queue !== null && queue.policy !== policy) await boss.deleteQueue(kind.name)
          await boss.createQueue(kind.name, { policy })
          await boss.updateQueue(kind.name, settingsOf(kind))
        }
      }),
    (boss) => Effect.ignore(Effect.tryPromise(() => boss.stop({ graceful: false })))
  )
