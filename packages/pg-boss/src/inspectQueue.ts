import type { QueueOfJobs } from "@agent-platform/kernel"
import { Data, Effect } from "effect"
import { PgBoss } from "pg-boss"
import { optionsOf, type PgBossConnection } from "./connection.ts"

/** The queue could not be asked. */
export class QueueUnreadable extends Data.TaggedError("QueueUnreadable")<{ readonly cause: unknown }> {}

/** The one job of a singleton, while it waits. */
export interface WaitingJob {
  readonly name: string
  /** How long it has been due; 0 while it is not due. */
  readonly dueSeconds: number
  /** How often it was tried and failed. */
  readonly retries: number
}

export interface QueueFacts {
  /** Whether pg-boss's tables exist, in the version of this release. */
  readonly isInstalled: boolean
  /** The queues that do not exist, of those that were asked for. */
  readonly missing: ReadonlyArray<string>
  readonly waiting: ReadonlyArray<WaitingJob>
}

const factsOf = async (boss: PgBoss, kinds: ReadonlyArray<QueueOfJobs>): Promise<QueueFacts> => {
  const names = kinds.map(({ name }) => name)
  try {
    await boss.start()
  } catch {
    // Where the database cannot be reached this fails as well; else pg-boss is not installed in this version.
    await boss.isInstalled()
    return { isInstalled: false, missing: names, waiting: [] }
  }
  const made = new Set((await boss.getQueues()).map(({ name }) => name))
  const waiting: Array<WaitingJob> = []
  for (const { name } of kinds.filter((kind) => kind.isSingleton && made.has(kind.name))) {
    const [job] = await boss.findJobs(name, { queued: true })
    if (job === undefined) continue
    const dueSeconds = Math.max(0, (Date.now() - job.startAfter.getTime()) / 1_000)
    waiting.push({ name, dueSeconds, retries: job.retryCount })
  }
  return { isInstalled: true, missing: names.filter((name) => !made.has(name)), waiting }
}

/** Reads the facts about these queues. */
export const inspectQueue = (
  connection: PgBossConnection,
  kinds: ReadonlyArray<QueueOfJobs>
): Effect.Effect<QueueFacts, QueueUnreadable> =>
  Effect.acquireUseRelease(
    Effect.map(optionsOf(connection), (options) => {
      const boss = new PgBoss({ ...options, max: 1, migrate: false, supervise: false, schedule: false })
      boss.on("error", () => undefined)
      return boss
    }),
    (boss) => Effect.tryPromise({ try: () => factsOf(boss, kinds), catch: (cause) => new QueueUnreadable({ cause }) }),
    (boss) => Effect.ignore(Effect.tryPromise(() => boss.stop({ graceful: false })))
  )
