/** Promises of the Postgres adapters beyond the contracts. */
import { atomic, EventLog, Idempotency, Signals } from "@agent-platform/kernel"
import { anEvent } from "@agent-platform/kernel/testing"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Cause, Context, type DateTime, Effect, Exit, Layer, type Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { freshDatabase } from "./support/database.ts"

class DatabaseUrl extends Context.Service<DatabaseUrl, Redacted.Redacted>()("test/DatabaseUrl") {}

/** All ports as one process has them, sharing nothing with another. */
const processLayer = (url: Redacted.Redacted) =>
  Layer.fresh(postgres.pipe(Layer.provideMerge(layerClient({ url, maxConnections: 8 })), Layer.orDie))

const layer = Layer.unwrap(
  Effect.map(Effect.orDie(freshDatabase), (url) => Layer.merge(processLayer(url), Layer.succeed(DatabaseUrl, url)))
)

const raise = (topic: string) => atomic(Signals.use((signals) => signals.raise(topic)))

describe("Postgres", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    it.effect("makes what the database refuses a defect", () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const event = anEvent()
        yield* atomic(log.append(event))
        const exit = yield* Effect.exit(atomic(log.append(event)))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasFails(exit.cause))
      })
    )

    it.effect("makes a deadlock the defect of one of the two and lets the other go on", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [one, two] = [anEvent(), anEvent()]
        yield* atomic(EventLog.use((log) => Effect.andThen(log.append(one), log.append(two))))
        const lock = (id: string) => Effect.orDie(sql`select 1 from event where id = ${id} for update`)
        let holding = 0
        const both = (mine: string, other: string) =>
          atomic(
            Effect.gen(function* () {
              yield* lock(mine)
              holding++
              while (holding < 2) yield* Effect.yieldNow
              yield* lock(other)
            })
          )
        const exits = yield* Effect.all([Effect.exit(both(one.id, two.id)), Effect.exit(both(two.id, one.id))], {
          concurrency: 2
        })
        const [died, ...others] = exits.filter(Exit.isFailure)
        assert.isEmpty(others)
        assert.isTrue(died !== undefined && Cause.hasDies(died.cause))
      })
    )

    // Sharing connections as it does on Node, the client of `layerClient` hangs here on Deno within a hundred rounds.
    it.effect("answers every statement when single ones and transactions take turns", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let round = 0; round < 500; round++) {
          yield* sql`select 1`
          yield* sql.withTransaction(sql`select 1`)
        }
      })
    )

    it.effect("forgets an idempotency key after a day, unless what it created is still needed", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const keys = yield* Idempotency
        const request = { scope: SecureRandom.uuidV7Unsafe(), route: "POST /", key: "k", bodyHash: "a" }
        const age = (hours: number) =>
          sql`
            update idempotency_key set claimed_at = claimed_at - ${`${hours} hours`}::interval
            where scope = ${request.scope}
          `
        const needed = new Set(["first"])
        const portion = (after: DateTime.Utc | undefined, max: number) =>
          atomic(keys.prune((ids) => Effect.succeed(new Set(ids.filter((id) => needed.has(id)))), { after, max }))
        const prune = Effect.map(portion(undefined, 10), ({ pruned }) => pruned)
        yield* atomic(keys.record({ request, resourceId: "first" }))
        yield* atomic(keys.record({ request: { ...request, key: "other" }, resourceId: "other" }))
        yield* age(23)
        assert.strictEqual(yield* prune, 0)
        yield* age(2)
        yield* sql`
          update idempotency_key set claimed_at = claimed_at - interval '1 hour'
          where scope = ${request.scope} and resource_id = 'first'
        `
        const { last, pruned } = yield* portion(undefined, 1)
        assert.strictEqual(pruned, 0)
        assert.deepInclude(yield* portion(last, 1), { pruned: 1 })
        assert.deepStrictEqual(yield* atomic(keys.claim(request)), [Result.succeed("first")])
        needed.clear()
        assert.strictEqual(yield* prune, 1)
        assert.deepStrictEqual(yield* atomic(keys.claim({ ...request, bodyHash: "b" })), [Result.succeed(undefined)])
      })
    )

    it.effect("carries signals to another process", () =>
      Effect.gen(function* () {
        const other = yield* Layer.build(processLayer(yield* DatabaseUrl))
        const next = yield* Context.get(other, Signals).listen("elsewhere")
        yield* raise("elsewhere")
        assert.strictEqual((yield* Effect.timeoutOption(next(60), "10 seconds"))._tag, "Some")
      })
    )

    it.effect("carries more topics at once than fit into one notification", () =>
      Effect.gen(function* () {
        const other = yield* Layer.build(processLayer(yield* DatabaseUrl))
        const topics = Array.from({ length: 500 }, (_, index) => `a-topic-with-a-long-name-é-${index}`)
        const waits = yield* Effect.forEach(topics, Context.get(other, Signals).listen)
        yield* atomic(Effect.forEach(topics, (topic) => Signals.use((signals) => signals.raise(topic))))
        const woken = Effect.forEach(waits, (next) => next(60), { concurrency: "unbounded" })
        assert.strictEqual((yield* Effect.timeoutOption(woken, "10 seconds"))._tag, "Some")
      })
    )

    it.effect("drops a topic that no notification could carry, and carries on", () =>
      Effect.gen(function* () {
        const other = yield* Layer.build(processLayer(yield* DatabaseUrl))
        const next = yield* Context.get(other, Signals).listen("short")
        yield* raise("x".repeat(8000))
        yield* raise("short")
        assert.strictEqual((yield* Effect.timeoutOption(next(60), "10 seconds"))._tag, "Some")
      })
    )

    // Signals that were missed are made up for by waking everybody.
    it.effect("wakes every listener once it listens again after its connection was cut", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const signals = yield* Signals
        const next = yield* signals.listen("never raised")
        const cut = yield* sql<{ readonly cut: boolean }>`
          select pg_terminate_backend(pid) as cut from pg_stat_activity
          where datname = current_database() and query ilike 'listen%' and pid <> pg_backend_pid()
        `
        assert.isNotEmpty(cut)
        assert.strictEqual((yield* Effect.timeoutOption(next(60), "10 seconds"))._tag, "Some")
      })
    )
  })
})
