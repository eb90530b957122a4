/** The rows of the feeds benchmark are those that the product would have made. */
import { fileNotices } from "@agent-platform/feeds"
import { layerClient, layer as layerPostgres } from "@agent-platform/postgres"
import { Effect, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { assert, describe, inject, it } from "vitest"
import { makeDatabase } from "../../system/harness.ts"
import { fillFeeds } from "./fill.ts"

const attachments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select conrelid::regclass::text as owner, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    union all select tablename, indexname, indexdef from pg_indexes where schemaname = 'agent_platform'
    order by 1, 2, 3
  `
})

const numbered = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    notices: yield* sql`select id, number from agent_platform.notification order by id`,
    tallies: yield* sql`
      select organization_id, workspace_id, filed, forgotten from agent_platform.notification_tally order by 1, 2 nulls first
    `
  }
})

describe("feeds that are made for measuring", () => {
  it("hold the numbers and the tallies that filing gives, under the indexes and references of the migrations", async () => {
    const database = await makeDatabase(inject("postgresUrl"))
    const services = layerPostgres.pipe(
      Layer.provideMerge(layerClient({ url: Redacted.make(database.ownerUrl), maxConnections: 5 })),
      Layer.provide(Logger.layer([]))
    )
    const work = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* attachments
      yield* fillFeeds(3_000)
      assert.deepStrictEqual(
        (yield* attachments).filter(({ owner }) => !String(owner).startsWith("bench_")),
        before
      )
      const made = yield* numbered
      yield* sql`update agent_platform.notification set number = null`
      yield* sql`delete from agent_platform.notification_tally`
      assert.strictEqual(yield* fileNotices(), 3_000)
      assert.deepStrictEqual(yield* numbered, made)
    })
    try {
      await Effect.runPromise(Effect.provide(work, services))
    } finally {
      await database.drop()
    }
  })
})
