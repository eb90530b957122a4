/** pg-boss's schema in a database, with the queues that we have. */
import { Data, Effect } from "effect"
import { PgBoss } from "pg-boss"
import { optionsOf, type PgBossConnection } from "./connection.ts"
import { SETTINGS } from "./queues.ts"

/** pg-boss could not be installed; what is missing is installed by trying again. */
export class InstallFailed extends Data.TaggedError("InstallFailed")<{ readonly cause: unknown }> {
  override readonly message = "pg-boss could not be installed"
}

const tried = <A>(act: () => Promise<A>) =>
  Effect.tryPromise({ try: act, catch: (cause) => new InstallFailed({ cause }) })

/**
 * Installs or updates pg-boss's schema and makes the queues of these kinds, or brings their settings up to date. Any number
 * of processes may do so at once, and beside running workers. The role must be allowed to create a schema.
 */
export const install = (
  connection: PgBossConnection,
  kinds: ReadonlyArray<{ readonly name: string }>
): Effect.Effect<void, InstallFailed> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const boss = new PgBoss({
        ...optionsOf(connection, "install", 0),
        supervise: false,
        schedule: false
      })
      // What matters is thrown as well; without a listener an event of this name would end the process.
      boss.on("error", () => undefined)
      return boss
    }),
    (boss) =>
      tried(async () => {
        await boss.start()
        for (const { name } of kinds) {
          await boss.createQueue(name, SETTINGS)
          await boss.updateQueue(name, SETTINGS)
        }
      }),
    (boss) => Effect.ignore(Effect.tryPromise(() => boss.stop({ graceful: false })))
  )
