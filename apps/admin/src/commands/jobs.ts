import { JobHistory, type JobRun, JobRunId } from "@agent-platform/kernel"
import { CLOCK, WORKER_JOBS } from "@agent-platform/platform"
import { CommandRefused } from "@agent-platform/process"
import { Cron, DateTime, Effect, Option, Result } from "effect"
import { Argument, Command } from "effect/cli"
import { databaseCommand } from "../databaseCommand.ts"
import { described, JsonFlag } from "../described.ts"
import { countFlag, switchFlag } from "../flags.ts"
import { doJob } from "../jobs/doJob.ts"
import { printJson, printRows } from "../printed.ts"
import { doneOfTotal, jobRunRow } from "../rows.ts"

const NAMES = CLOCK.map(({ kind }) => kind.name)
const ofWorkers = new Set(WORKER_JOBS.map(({ kind }) => kind.name))

/** The next time at which the clock has a job done. */
const nextAt = (cron: string, now: DateTime.Utc): string =>
  DateTime.formatIso(
    DateTime.fromDateUnsafe(Cron.next(Result.getOrThrow(Cron.parse(cron, "UTC")), DateTime.toDateUtc(now)))
  )

const listRow = (job: (typeof CLOCK)[number], last: JobRun | undefined, now: DateTime.Utc) => ({
  name: job.kind.name,
  does: job.does,
  cron: job.cron,
  done_by: ofWorkers.has(job.kind.name) ? "worker" : "scheduler",
  next_run_at: nextAt(job.cron, now),
  last_run: last === undefined ? null : jobRunRow(last, now)
})

const A_RUN = {
  id: "01a1fd51-2764-7218-9ac0-9d6895cfd59e",
  name: "logins.prune",
  trigger: "schedule",
  holder: "scheduler host-1 4711",
  status: "succeeded",
  started_at: "2026-11-21T05:10:00.123Z",
  finished_at: "2026-11-21T05:10:00.150Z",
  items_done: 3,
  items_total: null,
  items_per_second: 111.1,
  seconds_left: null,
  cursor: null,
  summary: "Forgot 2 logins that were not completed, and 1 old sessions",
  error: null
}

const list = databaseCommand({
  name: "list",
  does: "List what is done by the clock: when, by whom, how it went last and when it is due next",
  examples: ["jobs list", "jobs list --json"],
  prints: {
    items: [
      {
        name: "logins.prune",
        does: "Forgets logins that were not completed within 10 minutes, and sessions that are 30 days old",
        cron: "*/10 * * * *",
        done_by: "scheduler",
        next_run_at: "2026-11-21T05:20:00.000Z",
        last_run: A_RUN
      }
    ]
  },

  flags: {},
  run: Effect.fn(function* () {
    const json = yield* JsonFlag
    const latest = yield* JobHistory.use((history) => history.latest)
    const now = yield* DateTime.now
    const rows = CLOCK.map((job) => listRow(job, latest.get(job.kind.name), now))
    const shown = rows.map(({ last_run, ...row }) => {
      const last = latest.get(row.name)
      return {
        ...row,
        last_run_at: last_run?.started_at,
        outcome: last_run?.status ?? "never ran",
        items_done: last && doneOfTotal(last),
        items_per_second: last_run?.items_per_second,
        seconds_left: last_run?.seconds_left
      }
    })
    const columns = [
      ...["name", "cron", "done_by", "last_run_at", "outcome", "items_done", "items_per_second", "seconds_left"],
      "next_run_at"
    ]
    yield* printRows(json ? rows : shown, columns, json)
  })
})

const run = Command.make(
  "run",
  {
    name: Argument.Literals("job", NAMES).pipe(Argument.withDescription("Name of the job, as `jobs list` has it")),
    dryRun: switchFlag(
      "dry-run",
      "Do it in a transaction that is undone, and say what it came to; not for jobs of workers"
    ),
    waitSeconds: countFlag(
      "wait-seconds",
      "SECONDS",
      "How long to wait for a worker to do it, for jobs of workers; 60 without it",
      { minimum: 0, maximum: 86_400, otherwise: 60 }
    )
  },
  doJob
).pipe(
  described({
    does: "Have a job done now: by this process, or by a worker where it takes secrets or calls strangers",
    examples: [
      "jobs run logins.prune",
      "jobs run runs.prune --dry-run",
      "jobs run provider_keys.probe --wait-seconds 300"
    ],
    prints: {
      name: "logins.prune",
      status: "succeeded",
      dry_run: false,
      items_done: 3,
      holder: "admin host-1 4712",
      summary: "Forgot 2 logins that were not completed, and 1 old sessions"
    }
  })
)

const history = databaseCommand({
  name: "history",
  does: "Show the last runs of a job, or of all jobs, newest first",
  examples: ["jobs history", "jobs history webhooks.tidy_history --limit 5 --json"],
  prints: { items: [A_RUN] },
  flags: {
    name: Argument.Literals("job", NAMES).pipe(
      Argument.withDescription("Name of the job; all jobs without it"),
      Argument.optional
    ),
    limit: countFlag("limit", "COUNT", "How many runs to show, 1 to 50; 20 without it", {
      minimum: 1,
      maximum: 50,
      otherwise: 20
    })
  },
  run: Effect.fn(function* ({ limit, name }) {
    const store = yield* JobHistory
    const { items } = yield* store.list(Option.getOrUndefined(name), { limit, before: undefined })
    const now = yield* DateTime.now
    const json = yield* JsonFlag
    const columns = [
      ...["id", "name", "started_at", "finished_at", "status", "trigger", "items_done", "items_per_second"],
      ...["summary", "error"]
    ]
    yield* printRows(
      items.map((run) => ({ ...jobRunRow(run, now), ...(json ? {} : { items_done: doneOfTotal(run) }) })),
      columns,
      json
    )
  })
})

const show = databaseCommand({
  name: "show",
  does: "Show a run of a job: how far it has come and of how much, how fast, how long the rest takes; prints JSON",
  examples: [`jobs show ${A_RUN.id}`],
  prints: {
    ...{ ...A_RUN, name: "runs.prune", status: "running", finished_at: null, items_done: 40_000, items_total: 100_000 },
    ...{ items_per_second: 500, seconds_left: 120, cursor: "01a0fd51-2764-7218-9ac0-9d6895cfd59e", summary: null }
  },
  flags: {
    id: Argument.String("id").pipe(
      Argument.withSchema(JobRunId),
      Argument.withDescription("Id of the run, as `jobs list --json` and `jobs history` have it")
    )
  },
  run: Effect.fn(function* ({ id }) {
    const run = yield* JobHistory.use((history) => history.find(id))
    if (run === undefined) return yield* new CommandRefused({ message: `There is no run ${id} of a job` })
    return yield* printJson(jobRunRow(run, yield* DateTime.now))
  })
})

/** Commands about scheduled jobs. */
export const jobs = Command.make("jobs").pipe(
  described({ does: "Work that is due by the clock", examples: ["jobs list"] }),
  Command.withSubcommands([list, show, run, history])
)
