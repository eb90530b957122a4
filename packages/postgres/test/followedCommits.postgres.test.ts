/** Statements that follow the COMMIT of a transaction. */
import { atomic, Signals } from "@agent-platform/kernel"
import { asGuest, layerClient, layerHostPool, layer as postgres } from "@agent-platform/postgres"
import { DEFAULT_SCHEMA } from "@agent-platform/toolkit"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer as suite } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Logger, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type pg from "pg"
import { texts } from "../src/columns.ts"
import type { HostPool } from "../src/host/HostPool.ts"
import { followCommit } from "../src/pipelined.ts"
import type { Follow } from "../src/SessionConnection.ts"
import { channelOf } from "../src/signalPayloads.ts"
import { asOwner, asSuperuser, freshDatabase } from "./support/database.ts"
import { makeHostPool } from "./support/hostPool.ts"

class DatabaseUrl extends Context.Service<DatabaseUrl, Redacted.Redacted>()("test/DatabaseUrl") {}

/** A pool whose sessions refuse a statement while another is under way. */
const oneAtATime = (pool: pg.Pool): HostPool => ({
  connect: async () => {
    const session = await pool.connect()
    let isBusy = false
    return {
      query: async (query) => {
        if (isBusy) throw new Error("busy")
        isBusy = true
        try {
          return (await session.query(query as never)) as never
        } finally {
          isBusy = false
        }
      },
      release: (broken) => session.release(broken),
      on: (event, listener) => session.on(event as never, listener as never),
      removeListener: (event, listener) => session.removeListener(event as never, listener as never)
    }
  }
})

const CLIENTS = {
  "a client that pipelines": (url: Redacted.Redacted) => layerClient({ url, maxConnections: 8 }),
  "a client of two connections": (url: Redacted.Redacted) => layerClient({ url, maxConnections: 2 }),
  "a host's pool": (url: Redacted.Redacted) =>
    Layer.unwrap(Effect.map(makeHostPool(url), (pool) => layerHostPool(pool))),
  "a host's pool that takes one statement at a time": (url: Redacted.Redacted) =>
    Layer.unwrap(Effect.map(makeHostPool(url), (pool) => layerHostPool(oneAtATime(pool))))
}

const CHANNEL = channelOf(DEFAULT_SCHEMA)

interface Followed {
  readonly items: ReadonlyArray<string>
  readonly seen: boolean
}

for (const [name, clientOf] of Object.entries(CLIENTS)) {
  const layer = Layer.unwrap(
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const stores = postgres.pipe(Layer.provideMerge(clientOf(url)))
      const tables = Layer.effectDiscard(
        asOwner((owner) =>
          Effect.gen(function* () {
            yield* owner`create table written (id text primary key, parent text references written deferrable initially deferred)`
            yield* owner`create table followed (items text[], seen boolean)`
            yield* owner`grant select, insert on written, followed to public`
          })
        )
      )
      return Layer.merge(Layer.provideMerge(tables, stores), Layer.succeed(DatabaseUrl, url))
    }).pipe(Effect.orDie)
  )

  describe(`what follows a transaction of ${name}`, () => {
    suite(Layer.orDie(layer), { excludeTestServices: true })((it) => {
      it.effect("is sent once, after the commit, for all that was handed in, and for nothing that failed before", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const followed = Effect.orDie(sql<Followed>`select items, seen from followed`)
          const follow: Follow = (items, send) =>
            Effect.orDie(
              Effect.asVoid(
                send(sql`
                  insert into followed
                  select ${texts([...items])}, exists (select 1 from written where id = 'parent')
                `)
              )
            )
          const handIn = (item: string) => followCommit(sql, follow, item)
          yield* Effect.exit(atomic(Effect.andThen(handIn("failed"), Effect.fail("no"))))
          yield* atomic(
            Effect.gen(function* () {
              yield* handIn("one")
              yield* Effect.orDie(sql`insert into written (id) values ('parent')`)
              yield* atomic(handIn("two"))
              yield* handIn("one")
              assert.isEmpty(yield* followed)
            })
          )
          assert.deepStrictEqual(yield* followed, [{ items: ["one", "two"], seen: true }])
          yield* atomic(Effect.void)
          assert.strictEqual((yield* followed).length, 1)
        })
      )

      it.effect("does not fail it, and leaves its connection as good as before", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const refused: Follow = (_, send) => Effect.ignoreCause(send(sql`select 1 / 0`))
          const broken: Follow = (_, send) => Effect.ignoreCause(send(sql`select ${Symbol("no parameter") as never}`))
          const dying: Follow = () => Effect.die("no")
          const throwing: Follow = () => {
            throw new Error("no")
          }
          const killed: Follow = (_, send) =>
            Effect.ignoreCause(send(sql`select pg_terminate_backend(pg_backend_pid())`))
          const write = (id: string) => Effect.orDie(sql`insert into written (id) values (${id})`)
          const follows = [refused, broken, dying, throwing, killed, refused]
          for (const [index, follow] of follows.entries()) {
            yield* atomic(Effect.andThen(write(`written ${index}`), followCommit(sql, follow, "item")))
          }
          const rows = yield* sql`select id from written where id like 'written %'`
          assert.strictEqual(rows.length, follows.length)
        })
      )

      it.effect("does not hide that the commit was refused", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          let sent = 0
          const follow: Follow = (_, send) =>
            Effect.orDie(Effect.asVoid(Effect.tap(send(sql`select 1`), () => Effect.sync(() => sent++))))
          const orphan = Effect.orDie(sql`insert into written (id, parent) values ('orphan', 'nobody')`)
          const exit = yield* Effect.exit(atomic(Effect.andThen(orphan, followCommit(sql, follow, "item"))))
          assert.isTrue(Exit.isFailure(exit) && String(exit).includes("foreign key"), String(exit))
          assert.isEmpty(yield* sql`select 1 from written where id = 'orphan'`)
          assert.strictEqual(sent, 1)
        })
      )

      it.effect("is sent after it where it is handed in during the commit", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const sent: Array<string> = []
          const follow: Follow = (items, send) => {
            const all = [...items]
            return Effect.andThen(
              Effect.orDie(send(sql`select 1`)),
              Effect.sync(() => void sent.push(...all))
            )
          }
          const [begun, handedIn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          // It begins when COMMIT has been sent. The commit ends with it, and so not before the other was handed in.
          const late: Follow = () => Effect.andThen(Deferred.done(begun, Exit.void), Deferred.await(handedIn))
          const handIn = (item: string) => followCommit(sql, follow, item)
          yield* atomic(
            Effect.gen(function* () {
              yield* handIn("early")
              yield* followCommit(sql, late, "late")
              const handingIn = Effect.andThen(handIn("late"), Deferred.done(handedIn, Exit.void))
              yield* Effect.forkDetach(Effect.andThen(Deferred.await(begun), handingIn), { startImmediately: true })
            })
          )
          assert.deepStrictEqual(sent, ["early", "late"])
        })
      )

      it.effect("is sent by the commit of a host in whose transaction it is, or by nobody", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const signals = yield* Signals
          const next = yield* signals.listen("of a guest")
          const fence = yield* signals.listen("fence")
          const pool = yield* makeHostPool(yield* DatabaseUrl)
          const host = yield* Effect.acquireRelease(
            Effect.promise(() => pool.connect()),
            (client) => Effect.sync(() => client.release(true))
          )
          // Notifications come in the order of the commits: with this, an earlier signal would have come, too.
          const fenced = Effect.andThen(
            Effect.promise(() => pool.query("select pg_notify($1, $2)", [CHANNEL, "another process\nfence"])),
            fence(60)
          )
          const inHost = (notifies: boolean) =>
            Effect.gen(function* () {
              yield* Effect.promise(() => host.query("begin"))
              const client = { query: (text: string, params: Array<string | null>) => host.query(text, params) }
              const twice = Effect.andThen(signals.raise("of a guest"), atomic(signals.raise("of a guest")))
              yield* Effect.provideService(asGuest(client, { notifies }, twice), SqlClient.SqlClient, sql)
              yield* fenced
              assert.isFalse(yield* next(0))
              yield* Effect.promise(() => host.query("commit"))
              yield* fenced
              return yield* next(0)
            })
          assert.isFalse(yield* inHost(false))
          assert.isTrue(yield* inHost(true))
        })
      )

      it.effect(
        "is logged once in an outage where it is a signal, which listeners of this process get all the same",
        () =>
          Effect.gen(function* () {
            const signals = yield* Signals
            const next = yield* signals.listen("own")
            const lines: Array<unknown> = []
            const keeping = Logger.layer([Logger.make(({ message }) => lines.push(...[message].flat()))])
            const raise = Effect.andThen(atomic(signals.raise("own")), next(60))
            yield* asSuperuser((admin) => admin`revoke execute on function pg_notify(text, text) from public`)
            yield* Effect.provide(Effect.all([raise, raise]), keeping)
            yield* asSuperuser((admin) => admin`grant execute on function pg_notify(text, text) to public`)
            yield* Effect.provide(raise, keeping)
            yield* asSuperuser((admin) => admin`revoke execute on function pg_notify(text, text) from public`)
            yield* Effect.provide(raise, keeping)
            assert.strictEqual(lines.filter((line) => line === "Signals could not be sent").length, 2)
          })
      )
    })
  })
}

describe("what follows a transaction of a client of another make", () => {
  it.effect("is sent after the commit", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const client = PgClient.layer({ url })
      const sent: Array<string> = []
      const use = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const follow: Follow = (items, send) =>
          Effect.orDie(Effect.asVoid(Effect.tap(send(sql`select 1`), () => Effect.sync(() => sent.push(...items)))))
        yield* sql.withTransaction(
          Effect.andThen(
            followCommit(sql, follow, "item"),
            Effect.sync(() => assert.isEmpty(sent))
          )
        )
        assert.deepStrictEqual(sent, ["item"])
        yield* followCommit(sql, follow, "outside")
        assert.deepStrictEqual(sent, ["item", "outside"])
      })
      yield* Effect.provide(use, client)
    }).pipe(Effect.scoped)
  )
})
