/** pg-boss's schema in a database, with the queues that we have. */
import { Data, Effect, Redacted } from "effect"
import { PgBoss } from "pg-boss"
import { SCHEMA } from "./Boss.ts"
import { HOT, type PgBossConnection, SETTINGS } from "./queues.ts"

/**
 * An index of ours on pg-boss's table, over the jobs that somebody holds. Without it who looks for lost holders reads all that
 * waits: 200 ms every two seconds, in each worker, with a million events. Signs of life change none of its columns, so they
 * write nothing to it. That each job has seconds is said for the planner: who asks for held jobs by their ids does not say
 * it, and must not be led through all that are held. It is looked for first, because making one that is there already would wait
 * for all writers, too.
 */
const HELD_JOBS_INDEX = `
  do $$ begin
    perform pg_advisory_xact_lock(hashtextextended('agent-platform:pg-boss-index', 0));
    if to_regclass('${SCHEMA}.agent_platform_job_active') is null then
      create index agent_platform_job_active on ${SCHEMA}.job (name)
        where state = 'active' and heartbeat_seconds is not null;
    end if;
  end $$
`

/** pg-boss could not be installed; what is missing is installed by trying again. */
export class InstallFailed extends Data.TaggedError("InstallFailed")<{ readonly cause: unknown }> {
  override readonly message = "pg-boss could not be installed"
}

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
        connectionString: Redacted.value(connection.url),
        application_name: "agent-platform-install",
        max: 1,
        supervise: false,
        schedule: false
      })
      // What matters is thrown as well; without a listener an event of this name would end the process.
      boss.on("error", () => undefined)
      return boss
    }),
    (boss) =>
      Effect.tryPromise({
        try: async () => {
          await boss.start()
          for (const { name } of kinds) {
            await boss.createQueue(name, { ...SETTINGS, partition: HOT.has(name) })
            await boss.updateQueue(name, SETTINGS)
          }
          await boss.getDb().executeSql(HELD_JOBS_INDEX)
        },
        catch: (cause) => new InstallFailed({ cause })
      }),
    (boss) => Effect.ignore(Effect.tryPromise(() => boss.stop({ graceful: false })))
  )
