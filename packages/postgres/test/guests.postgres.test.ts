/** The stores in transactions that a host has opened over a client of its own, which may be of any library. */
import { Transaction, UnitOfWork } from "@agent-platform/kernel"
import { eventLogContract, unitOfWorkContract } from "@agent-platform/kernel/testing"
import { apiKeyStoreContract } from "@agent-platform/keys/testing"
import { asGuest, layerClient, layerHostPool, layer as postgres } from "@agent-platform/postgres"
import { agentStoreContract } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type pg from "pg"
import { answering } from "../src/host/answering.ts"
import { freshDatabase } from "./support/database.ts"
import { makeHostPool } from "./support/hostPool.ts"
import { layerTenants } from "./support/tenants.ts"

/** A unit of work each of whose transactions a host has opened; those within are of the store itself. */
const unitOfGuests = (pool: pg.Pool) =>
  Layer.effect(
    UnitOfWork,
    Effect.gen(function* () {
      const [sql, own] = [yield* SqlClient.SqlClient, yield* UnitOfWork]
      return UnitOfWork.of({
        atomic: (effect) =>
          Effect.flatMap(Effect.serviceOption(Transaction), (open) => {
            if (Option.isSome(open)) return own.atomic(effect)
            const opened = Effect.acquireRelease(
              Effect.promise(async () => {
                const client = await pool.connect()
                await client.query("begin")
                return client
              }),
              (client, exit) =>
                Effect.promise(async () => {
                  await client.query(Exit.isSuccess(exit) ? "commit" : "rollback")
                  client.release()
                })
            )
            return Effect.scoped(
              Effect.flatMap(opened, (client) =>
                asGuest({ query: (text, params) => client.query(text, params) }, { notifies: false }, effect)
              )
            ).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.catchTag("SqlError", Effect.die)) as never
          })
      })
    })
  )

const storesOver = (kind: "pool" | "url") =>
  Layer.unwrap(
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const pool = yield* makeHostPool(url)
      const client = kind === "pool" ? layerHostPool(pool) : layerClient({ url })
      const stores = Layer.provideMerge(Layer.provideMerge(postgres, layerTenants), Layer.orDie(client))
      return Layer.provideMerge(unitOfGuests(pool), stores)
    })
  )

for (const kind of ["pool", "url"] as const) {
  const stores = storesOver(kind)
  unitOfWorkContract(`a host's transactions, beside a ${kind}`, stores)
  eventLogContract(`a host's transactions, beside a ${kind}`, stores)
}
apiKeyStoreContract("a host's transactions", storesOver("pool"))
agentStoreContract("a host's transactions", storesOver("pool"))

describe("a statement for a host's client", () => {
  it("answers its rows as one text, where it has some", () => {
    const rest = "select coalesce(json_agg(answer), '[]')::text as answer from answer"
    const given: ReadonlyArray<readonly [string, string | undefined]> = [
      ["select 1", `with answer as (select 1) ${rest}`],
      ["with a as (select '(') select * from a", `with a as (select '('), answer as (select * from a) ${rest}`],
      ["insert into a (b) select 'returning'", undefined],
      ["insert into a (b) values (1) returning b", `with answer as (insert into a (b) values (1) returning b) ${rest}`],
      ["with a as (insert into b values (1) returning c) insert into d select c from a", undefined],
      [
        "with a as (insert into b values (1) returning c) select c from a",
        `with a as (insert into b values (1) returning c), answer as (select c from a) ${rest}`
      ]
    ]
    for (const [text, expected] of given) assert.strictEqual(answering(text), expected, text)
  })
})
