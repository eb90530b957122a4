import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
const url = Redacted.make("postgres://postgres@127.0.0.1:55471/bench")
const multiplex = process.argv[2] !== "off"
const rounds = Number(process.argv[3] ?? 50)
const layer = () => PgClient.layer({ url, maxConnections: 8, multiplex, keepAlive: "10 seconds" })
const round = (n: number) => Effect.scoped(Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  yield* sql.listen("x")
  const a = n * 2, b = n * 2 + 1
  yield* sql`insert into stress (id) values (${a}), (${b}) on conflict do nothing`
  const mode = process.argv[4] ?? "deadlock"
  for (let i = 0; i < 20; i++) {
    if (mode === "deadlock" && i === 0) {
      let holding = 0
      const both = (x: number, y: number) => Effect.exit(sql.withTransaction(Effect.gen(function*() {
        yield* sql`select 1 from stress where id = ${x} for update`
        holding++
        while (holding < 2) yield* Effect.yieldNow
        yield* sql`select 1 from stress where id = ${y} for update`
      })))
      yield* Effect.all([both(a, b), both(b, a)], { concurrency: 2 })
    } else if (mode === "fail") {
      yield* Effect.exit(sql.withTransaction(sql`insert into stress (id) values (${a})`))
    } else if (mode === "mixed") {
      yield* Effect.forEach(Array.from({ length: 12 }, (_, k) => k), (k) => k % 2 ? sql`select ${k}::int` : sql.withTransaction(sql`select ${k}::int`), { concurrency: "unbounded" })
    }
    yield* sql.withTransaction(sql`select 1`)
    const r = yield* Effect.timeoutOption(sql`update stress set n = n + 1 where id = ${a}`, "8 seconds")
    if (r._tag === "None") { console.log("HANG in round", n, "step", i); 
      const other = yield* Effect.provide(SqlClient.SqlClient.use((s) => s`select pid, state, wait_event_type, wait_event, query from pg_stat_activity where datname = 'bench'`), PgClient.layer({ url, multiplex: false }))
      console.log(other); return yield* Effect.fail("hang") }
  }
})).pipe(Effect.provide(layer()))
await Effect.runPromise(Effect.gen(function*() {
  yield* SqlClient.SqlClient.use((sql) => Effect.andThen(sql`drop table if exists stress`, sql`create table stress (id int primary key, n int default 0)`)).pipe(Effect.provide(layer()))
  for (let n = 0; n < rounds; n++) yield* round(n)
  console.log("fine")
}) as never)
process.exit(0)
