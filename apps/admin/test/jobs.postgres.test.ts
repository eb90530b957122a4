/** Commands about scheduled jobs, over a real Postgres and its queue. */
import { JobHistory, JobQueue, JobRunId, ProcessName, UnitOfWork } from "@agent-platform/kernel"
import { anId, aTenant } from "@agent-platform/kernel/testing"
import { Boss, PgBossJobQueue, PgBossJobSource } from "@agent-platform/pg-boss"
import { JOB_KINDS, SCHEDULED_JOBS, Scheduler, scheduledKind, WORKER_JOBS } from "@agent-platform/platform"
import { AgentStore, RunReader } from "@agent-platform/runs"
import { addRuns, anAgent, aRun, aSession } from "@agent-platform/runs/testing"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { installFor } from "../../../packages/pg-boss/test/support/queue.ts"
import { asOwner } from "../../../packages/postgres/test/support/database.ts"
import { layerTenants } from "../../../packages/postgres/test/support/tenants.ts"
import { admin, Database, layer as operating, printed, refused } from "./operating.ts"
import { runAdminIn } from "./program.ts"

const withQueues = Layer.effectDiscard(Effect.flatMap(Database, ({ url }) => Effect.orDie(installFor(url, JOB_KINDS))))
const layer = Layer.provideMerge(Layer.mergeAll(withQueues, layerTenants), operating)

/** The queue as another process has it. */
const queueOver = (url: Redacted.Redacted) =>
  Layer.fresh(Layer.provide(Layer.merge(PgBossJobSource.layer, PgBossJobQueue.layer), Boss.layer({ url })))

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

/** A session whose one run ended so many days ago. */
const aSessionOf = (days: number) =>
  Effect.gen(function* () {
    const tenant = yield* aTenant()
    const finishedAt = DateTime.subtract(yield* DateTime.now, { days })
    const agent = anAgent(tenant)
    const session = aSession(agent)
    const id = aRun(agent, session).id
    const old = `${timeOf(finishedAt)}${id.slice(13)}` as typeof id
    const run = aRun(agent, session, { id: old, status: "cancelled", createdAt: finishedAt, finishedAt })
    yield* atomic(
      Effect.gen(function* () {
        yield* AgentStore.use((store) => store.insert(agent))
        yield* addRuns(run)
      })
    )
    return RunReader.use((store) => store.find(run.workspaceId, run.id))
  })

const timeOf = (at: DateTime.Utc) => {
  const hex = DateTime.toEpochMillis(at).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

suite(layer, { excludeTestServices: true })("the operator's jobs", (it) => {
  it.effect("are listed with when they are due, who does them, and how they went last", () =>
    Effect.gen(function* () {
      yield* printed("jobs", "run", "logins.prune", "--json")
      const { items } = yield* printed("jobs", "list", "--json")
      assert.sameMembers(
        items.map(({ name }: { readonly name: string }) => name),
        [...SCHEDULED_JOBS, ...WORKER_JOBS].map(({ kind }) => kind.name)
      )
      const [pruned] = items.filter(({ name }: { readonly name: string }) => name === "logins.prune")
      assert.deepInclude(pruned.last_run, { status: "succeeded", trigger: "operator", items_done: 0 })
      const minutes = (Date.parse(pruned.next_run_at) - Date.now()) / 60_000
      assert.isTrue(minutes > 0 && minutes <= 10, pruned.next_run_at)
      const { out } = yield* admin("jobs", "list")
      assert.match(
        out,
        /^name +cron +done_by +last_run_at +outcome +items_done +items_per_second +seconds_left +next_run_at\n/
      )
      assert.match(out, /logins\.prune +\*\/10 \* \* \* \* +scheduler +\S+ +succeeded/)
      assert.match(out, /provider_keys\.probe +\S+ \S+ \S+ \S+ \S+ +worker +- +never ran/)
    })
  )

  // `runs.recover` waits ten seconds of the real clock: `takeover.postgres.test.ts` does that one.
  it.effect("are done, all that the scheduler does, twice with the same end", () =>
    Effect.gen(function* () {
      for (const { kind } of SCHEDULED_JOBS.filter((job) => job.kind.name !== "runs.recover")) {
        for (const _ of [1, 2]) {
          const outcome = yield* printed("jobs", "run", kind.name, "--json")
          assert.deepInclude(outcome, { name: kind.name, status: "succeeded", dry_run: false })
        }
      }
      const { items } = yield* printed("jobs", "history", "--limit", "2", "--json")
      assert.strictEqual(items.length, 2)
      assert.strictEqual(items[0].name, SCHEDULED_JOBS.at(-1)?.kind.name)
      const table = (yield* admin("jobs", "history", "runs.prune")).out
      assert.include(table, "Runs are kept for ever")
    })
  )

  it.effect("forget old runs when they are asked to, and only say so when rehearsed", () =>
    Effect.gen(function* () {
      const { url } = yield* Database
      const [old, young] = [yield* aSessionOf(50), yield* aSessionOf(20)]
      const environment = { DATABASE_URL: Redacted.value(url), RUN_HISTORY_DAYS: "40" }
      const count = "Forgot 1 runs in 1 sessions whose last run ended more than 40 days ago"
      const rehearsed = yield* runAdminIn(environment, "jobs", "run", "runs.prune", "--dry-run")
      assert.deepStrictEqual(rehearsed, { code: 0, out: `It would have come to this: ${count}\n`, err: "" })
      assert.isDefined(yield* old)
      const { code, out } = yield* runAdminIn(environment, "jobs", "run", "runs.prune", "--json")
      assert.strictEqual(code, 0)
      assert.deepInclude(JSON.parse(out), { items_done: 1, summary: count })
      assert.isUndefined(yield* old)
      assert.isDefined(yield* young)
      const wrong = yield* runAdminIn({ ...environment, RUN_HISTORY_DAYS: "34" }, "jobs", "run", "runs.prune")
      assert.strictEqual(wrong.code, 78)
    })
  )

  it.effect("show how far a run has come, of how much, and how long the rest takes", () =>
    Effect.gen(function* () {
      const id = anId(JobRunId)
      const history = yield* JobHistory
      yield* atomic(history.begin({ id, name: "runs.prune", trigger: "schedule", holder: "scheduler 7" }))
      yield* atomic(history.note(id, { itemsDone: 40, itemsTotal: 100, cursor: null }))
      const hour = { text: "update job_run set started_at = started_at - interval '1 hour' where id = $1" }
      yield* asOwner((sql) => sql.unsafe(hour.text, [id]))
      const run = yield* printed("jobs", "show", id)
      assert.deepInclude(run, { id, status: "running", items_done: 40, items_total: 100, items_per_second: 0 })
      assert.approximately(run.seconds_left, 5_400, 60)
      assert.match((yield* admin("jobs", "list")).out, /runs\.prune .* running +40 of 100 +0 +54\d\d /)
      assert.match((yield* admin("jobs", "history", "runs.prune", "--limit", "1")).out, /running .* 40 of 100 /)
      yield* atomic(history.end(id, { ...run, status: "stopped", itemsDone: 40, itemsTotal: 100, cursor: null }))
      assert.deepInclude(yield* printed("jobs", "show", id), { items_total: 100, seconds_left: null })
      assert.include(yield* refused("jobs", "show", anId(JobRunId)), "There is no run")
      assert.include(yield* refused("jobs", "show", "yesterday"), "yesterday")
    })
  )

  it.effect("are left to the process that does them already, which is no failure", () =>
    Effect.gen(function* () {
      const { url } = yield* Database
      const [job] = SCHEDULED_JOBS.filter(({ kind }) => kind.name === "job_history.prune")
      const begun = yield* Deferred.make<void>()
      const go = yield* Deferred.make<string>()
      const scheduler = Scheduler.layerOf([
        { ...job!, run: Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)) }
      ]).pipe(Layer.provide(Layer.succeed(ProcessName, "scheduler 7")), Layer.provide(queueOver(url)))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(scheduler)
          yield* atomic(JobQueue.use((queue) => queue.enqueue(job!.kind, {})))
          yield* Deferred.await(begun)
          const outcome = yield* printed("jobs", "run", "job_history.prune", "--json")
          assert.deepInclude(outcome, { status: "already_running", holder: "scheduler 7" })
          assert.include((yield* admin("jobs", "run", "job_history.prune")).out, "is being done by scheduler 7 already")
          yield* Deferred.succeed(go, "done")
          yield* Effect.repeat(printed("jobs", "run", "job_history.prune", "--json"), {
            until: ({ status }) => status === "succeeded",
            schedule: Schedule.spaced("50 millis")
          })
        })
      ).pipe(Effect.provide(queueOver(url)))
    })
  )

  it.effect("are done at once, although they failed and wait for another try", () =>
    Effect.gen(function* () {
      const fail = asOwner((sql) => sql`alter table login_attempt rename to login_attempt_away`)
      yield* Effect.acquireUseRelease(
        fail,
        () => admin("jobs", "run", "logins.prune"),
        () => Effect.orDie(asOwner((sql) => sql`alter table login_attempt_away rename to login_attempt`))
      )
      assert.deepInclude(yield* printed("jobs", "run", "logins.prune", "--json"), { status: "succeeded" })
    })
  )

  it.effect("end with 1 when they fail, and say why", () =>
    Effect.gen(function* () {
      yield* asOwner((sql) => sql`alter table login_attempt rename to login_attempt_away`)
      const { code, err } = yield* admin("jobs", "run", "logins.prune")
      yield* asOwner((sql) => sql`alter table login_attempt_away rename to login_attempt`)
      assert.strictEqual(code, 1)
      assert.match(err, /^admin: The job logins\.prune failed: /)
      const { items } = yield* printed("jobs", "history", "logins.prune", "--limit", "1", "--json")
      assert.strictEqual(items[0].status, "failed")
      assert.include(items[0].error, "login_attempt")
    })
  )

  it.effect("are handed to a worker where workers do them", () =>
    Effect.gen(function* () {
      const { url } = yield* Database
      const kind = scheduledKind("provider_keys.probe")
      const workers = Scheduler.layerOf([
        { kind, cron: "0 0 * * *", does: "Asks", run: Effect.succeed("Asked about 0 provider keys") }
      ]).pipe(Layer.provide(Layer.succeed(ProcessName, "worker 3")), Layer.provide(queueOver(url)))
      const outcome = yield* Effect.scoped(
        Effect.gen(function* () {
          const running = yield* Effect.forkScoped(printed("jobs", "run", kind.name, "--wait-seconds", "50", "--json"))
          yield* Layer.build(workers)
          return yield* Fiber.join(running)
        })
      )
      assert.deepInclude(outcome, { status: "succeeded", holder: "worker 3", summary: "Asked about 0 provider keys" })
      const { items } = yield* printed("jobs", "history", kind.name, "--json")
      assert.strictEqual(items[0].trigger, "operator")
      const alone = yield* refused("jobs", "run", "secrets.reseal", "--wait-seconds", "0")
      assert.include(alone, "none has finished it within 0 s")
      assert.include(yield* refused("jobs", "run", "secrets.reseal", "--dry-run"), "cannot be rehearsed")
      assert.include(yield* refused("jobs", "run", "dishes.wash"), "dishes.wash")
    })
  )
})
