/** Claims stay quick and fair on a table with many runs of every kind, whosever queue is long. */
import { UnitOfWork } from "@agent-platform/kernel"
import { aTenant } from "@agent-platform/kernel/testing"
import {
  PgAgentStore,
  PgRunAcceptance,
  PgRunFeed,
  PgRunQueue,
  PgRunSettlement,
  PgSessionStore,
  PgUnitOfWork
} from "@agent-platform/postgres"
import { AgentStore, type ClaimRequest, RunFeed, RunFeedPosition, RunQueue, RunSettlement } from "@agent-platform/runs"
import { addRuns, anAgent, aRun, aSession, freshBy } from "@agent-platform/runs/testing"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { analyze, databaseLayer } from "./support/database.ts"
import { explained } from "./support/explained.ts"
import { layerTenants } from "./support/tenants.ts"

const stores = Layer.mergeAll(
  PgAgentStore.layer,
  PgSessionStore.layer,
  PgRunAcceptance.layer,
  PgRunQueue.layer,
  PgRunSettlement.layer,
  PgUnitOfWork.layer,
  layerTenants
)

const request = (): ClaimRequest => ({
  by: freshBy(),
  max: 50,
  shares: { organizations: new Map(), others: { runs: 50, perWorkspace: 50 }, workspaces: new Map() },
  after: { organization: undefined, workspaces: new Map() },
  leaseSeconds: 10
})

/** A queued run, and so many copies of it, each in a session of its own; of the copies a part has ended. */
const manyRuns = (copies: number, endedShare: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const agent = anAgent(yield* aTenant())
    const session = aSession(agent)
    const run = aRun(agent, session)
    const unit = yield* UnitOfWork
    yield* unit.atomic(
      Effect.gen(function* () {
        yield* AgentStore.use((agents) => agents.insert(agent))
        yield* addRuns(run)
      })
    )
    yield* sql`
      with copy as (
        select gen_random_uuid() as id, gen_random_uuid() as session_id, n <= ${copies * endedShare} as has_ended
        from generate_series(1, ${copies}::int) as n
      ), sessions as (
        insert into session (organization_id, workspace_id, id, created_at, last_position)
        select ${agent.organizationId}::uuid, ${agent.workspaceId}::uuid, session_id, now(), 1 from copy
      )
      insert into run
      select made.* from run as first, copy, jsonb_populate_record(null::run, to_jsonb(first) || jsonb_build_object(
        'id', copy.id, 'session_id', copy.session_id, 'ready', not has_ended,
        'due_at', case when not has_ended then now() end,
        'status', case when has_ended then 'succeeded' else 'queued' end,
        'finished_at', case when has_ended then now() end
      )) as made
      where first.id = ${run.id}
    `
    return run
  })

suite(Layer.provideMerge(stores, databaseLayer), { excludeTestServices: true })("with many runs", (it) => {
  it.effect(
    "a claim jumps between the workspaces by the index of what is ready, and serves each in its first batch",
    () =>
      Effect.gen(function* () {
        const hog = yield* manyRuns(16_000, 0.5)
        const guests = yield* Effect.forEach(Array.from({ length: 20 }), () => manyRuns(2, 0))
        yield* analyze
        const unit = yield* UnitOfWork
        const { answer, plan } = yield* explained(
          Layer.fresh(PgRunQueue.layer),
          unit.atomic(RunQueue.use((runs) => runs.claim(request())))
        )
        const of = new Map<string, number>()
        for (const { run } of answer.claimed) of.set(run.workspaceId, (of.get(run.workspaceId) ?? 0) + 1)
        assert.strictEqual(answer.claimed.length, 50)
        for (const guest of guests) assert.isAtLeast(of.get(guest.workspaceId) ?? 0, 1)
        assert.isAtMost(of.get(hog.workspaceId) ?? 0, 10)
        assert.include(plan, "run_ready")
        assert.notInclude(plan, "Seq Scan on run")
      })
  )

  it.effect(
    "what has changed is found by the index of changes, from any place on, for one workspace and for many",
    () =>
      Effect.gen(function* () {
        const followed = [yield* manyRuns(2_000, 0.5), yield* manyRuns(500, 1), yield* manyRuns(500, 1)]
        yield* analyze
        const upTo = RunFeedPosition.make("9000000000000000000/ffffffff-ffff-ffff-ffff-ffffffffffff")
        const nothing = RunFeedPosition.make("0/00000000-0000-0000-0000-000000000000")
        const read = (runs: typeof followed, after: RunFeedPosition) =>
          explained(
            PgRunFeed.layer,
            RunFeed.use((feed) =>
              feed.read({ workspaces: runs.map(({ workspaceId }) => workspaceId), after, upTo, limit: 20 })
            )
          )
        const [first] = followed
        const begun = yield* read([first!], nothing)
        for (const { answer, plan } of [
          begun,
          yield* read([first!], begun.answer.next),
          yield* read(followed, nothing)
        ]) {
          assert.lengthOf(answer.changes, 20)
          assert.include(plan, "Index Scan using run_changed")
          assert.notInclude(plan, "Seq Scan on run")
        }
      })
  )
})

/**
 * The rows of `run` that the open transaction has read so far, with those that its connection read before and has not reported
 * yet: a connection reports once a second at most, and its figures of "the transaction" are all since the last report.
 */
const rowsRead = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly scanned: number; readonly fetched: number }>`
      select seq_tup_read::int as scanned, idx_tup_fetch::int as fetched
      from pg_stat_xact_user_tables where relname = 'run'
    `,
    ([read]) => read ?? assert.fail("There is a table run")
  )
)

/** Claims what is due, settles it as it is, and answers how many rows of `run` were read for it. */
const claimedAndSettled = Effect.gen(function* () {
  const unit = yield* UnitOfWork
  const queue = yield* RunQueue
  const settlement = yield* RunSettlement
  return yield* unit.atomic(
    Effect.gen(function* () {
      const before = yield* rowsRead
      const { claimed } = yield* queue.claim(request())
      yield* settlement.hold(claimed.map(({ claimToken, run }) => ({ runId: run.id, claimToken })))
      const { written } = yield* settlement.settle(
        claimed.map(({ claimToken, run }) => ({
          claimToken,
          run: { ...run, status: "failed", finishedAt: run.createdAt }
        }))
      )
      const after = yield* rowsRead
      return {
        written: written.size,
        scanned: after.scanned - before.scanned,
        fetched: after.fetched - before.fetched
      }
    })
  )
})

suite(Layer.provideMerge(stores, databaseLayer), { excludeTestServices: true })("with a table that grows", (it) => {
  it.effect("what was prepared for the first runs reads none of those that came since", () =>
    Effect.gen(function* () {
      // From the sixth time on a statement has a plan that it keeps.
      for (let round = 0; round < 12; round++) {
        yield* manyRuns(1, 0)
        yield* claimedAndSettled
      }
      yield* manyRuns(6_000, 1)
      const { fetched, scanned, written } = yield* claimedAndSettled
      assert.deepStrictEqual({ written, scanned }, { written: 1, scanned: 0 })
      assert.isAtMost(fetched, 50)
    })
  )
})
