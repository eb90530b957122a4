/** pg-boss's schema in a database, with the queues that we have. */
import { Data, Effect, Predicate, Redacted, Schedule } from "effect"
import { PgBoss } from "pg-boss"
import { SCHEMA } from "./Boss.ts"
import { HOT, type PgBossConnection, SETTINGS } from "./queues.ts"

/**
 * An index of ours on pg-boss's table, over the jobs that somebody holds. Without it, looking for lost holders reads every job
 * that waits: 200 ms every two seconds, in each worker, with a million events. Signs of life change none of its columns. That
 * each job has seconds is said for the planner: a statement that asks for held jobs by their ids does not say it, and must not
 * be led through all that are held.
 *
 * It is looked for first, because `if not exists` waits for all who write jobs even where it does. Making it waits for each of
 * them for less than Postgres takes to look for deadlocks: everybody waits behind who waits for a lock, and signs of life must not
 * wait for long.
 */
const HELD_JOBS_INDEX = `
  do $$ begin
    perform pg_advisory_xact_lock(hashtextextended('agent_platform.held_jobs_index', 0));
    if to_regclass('${SCHEMA}.agent_platform_job_held') is null then
      perform set_config('lock_timeout', '500ms', true);
      create index agent_platform_job_held on ${SCHEMA}.job (name)
        where state = 'active' and heartbeat_seconds is not null;
    end if;
  end $$
`

/** What Postgres answers when a lock did not come in time. */
const LOCK_NOT_AVAILABLE = "55P03"

/** So often, a second apart, it is tried to make the index beside those who write jobs, or a vacuum. */
const INDEX_TRIES = 60

/** pg-boss could not be installed; what is missing is installed by trying again. */
export class InstallFailed extends Data.TaggedError("InstallFailed")<{ readonly cause: unknown }> {
  override readonly message = "pg-boss could not be installed"
}

const tried = <A>(act: () => Promise<A>) =>
  Effect.tryPromise({ try: act, catch: (cause) => new InstallFailed({ cause }) })

/** Whether it failed because others hold what it needs. */
const isHeldUp = ({ cause }: InstallFailed) => Predicate.hasProperty(cause, "code") && cause.code === LOCK_NOT_AVAILABLE

/**
 * Installs or updates pg-boss's schema and makes the queues of these kinds, or brings their settings up to date. Any number
 * of processes may do so at once, and beside running workers. The role must be allowed to create a schema. Where jobs wait
 * already and the index of held jobs is missing, nobody can write a job while it is made, which takes a second for a million; it
 * fails when transactions that write jobs are open for a minute on end.
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
      Effect.andThen(
        tried(async () => {
          await boss.start()
          for (const { name } of kinds) {
            await boss.createQueue(name, { ...SETTINGS, partition: HOT.has(name) })
            await boss.updateQueue(name, SETTINGS)
          }
        }),
        Effect.retry(
          tried(() => boss.getDb().executeSql(HELD_JOBS_INDEX)),
          { times: INDEX_TRIES - 1, schedule: Schedule.spaced("1 second"), while: isHeldUp }
        )
      ),
    (boss) => Effect.ignore(Effect.tryPromise(() => boss.stop({ graceful: false })))
  )
