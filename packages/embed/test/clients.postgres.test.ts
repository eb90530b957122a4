/** The entry points in transactions of a host that are opened by the libraries that hosts have. Prisma: `docs/examples/prisma`. */
import { randomBytes } from "node:crypto"
import { fromDrizzle, fromKysely, fromPostgresJs, type HostClient } from "@agent-platform/embed/clients"
import { createFeeds } from "@agent-platform/embed/feeds"
import { createKeys } from "@agent-platform/embed/keys"
import { createRuns } from "@agent-platform/embed/runs"
import { createWebhooks } from "@agent-platform/embed/webhooks"
import { sql as drizzleSql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/node-postgres"
import { CompiledQuery, Kysely, PostgresDialect } from "kysely"
import pg from "pg"
import postgres from "postgres"
import { assert, describe, it } from "vitest"
import { sharedHost } from "./database.ts"
import { refusal } from "./refusal.ts"

const host = sharedHost()

type Transaction = (act: (client: HostClient) => Promise<void>) => Promise<unknown>

/** Transactions of each library, and what ends it. */
const libraries: Readonly<
  Record<string, () => { readonly transaction: Transaction; readonly end: () => Promise<unknown> }>
> = {
  "postgres.js": () => {
    const sql = postgres(host().url, { max: 1, onnotice: () => undefined })
    return { transaction: (act) => sql.begin((tx) => act(fromPostgresJs(tx))), end: () => sql.end() }
  },
  Drizzle: () => {
    const orm = drizzle(host().pool)
    return {
      transaction: (act) => orm.transaction((tx) => act(fromDrizzle(tx, drizzleSql))),
      end: async () => undefined
    }
  },
  Kysely: () => {
    const pool = new pg.Pool({ connectionString: host().url, max: 1 })
    const kysely = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) })
    return {
      transaction: (act) => kysely.transaction().execute((trx) => act(fromKysely(trx, CompiledQuery))),
      end: () => kysely.destroy()
    }
  }
}

describe("a host's transaction", () => {
  for (const [name, open] of Object.entries(libraries)) {
    it(`of ${name} has events, keys, runs and feeds as its own`, async () => {
      const place = { database: host().pool }
      await using webhooks = createWebhooks({ ...place, secretsKey: randomBytes(32).toString("base64") })
      await using keys = createKeys({ ...place, scopes: ["read"] })
      await using feeds = createFeeds(place)
      await using runs = createRuns({
        ...place,
        recipes: { greet: async ({ name }: { name: string }) => `Hello ${name}` }
      })
      for (const entry of [webhooks, keys, feeds, runs]) await entry.migrate()
      const library = open()
      const tenant = `Tenant of ${name}`
      const said = `"it's" \\ {é,NULL} ${name}`
      const made: Record<"key" | "value" | "event" | "run", string> = { key: "", value: "", event: "", run: "" }
      const act = async (client: HostClient) => {
        const within = { client }
        const { id, value } = await keys.create(tenant, { name: said, scopes: ["read"], metadata: { said } }, within)
        const found = await keys.verify(value, { scopes: ["read"], client })
        assert.deepInclude(found, { valid: true, tenant })
        assert.deepInclude(await keys.verify(value), { valid: false, code: "unknown" })
        const other = await keys.create(
          tenant,
          { name: "other", scopes: ["read"], expiresAt: new Date(Date.now() + 1e6) },
          within
        )
        assert.strictEqual((await keys.revoke(tenant, other.id, within)).status, "revoked")
        assert.deepInclude(await keys.verify(other.value, within), { valid: false, code: "revoked" })
        assert.strictEqual((await refusal(() => keys.revoke("else", id, within))).code, "key_not_found")
        const listed = await keys.list(tenant, {}, within)
        assert.deepStrictEqual(
          listed.items.map((key) => [key.name, key.metadata]),
          [
            ["other", {}],
            [said, { said }]
          ]
        )
        made.event = await webhooks.publish({ tenant, type: "done", data: { said } }, within)
        await feeds.notifications.post({ tenant, type: "done", title: said, data: { said } }, within)
        await feeds.activity.record(
          {
            tenant,
            actor: { type: "user", id: "a", label: "A" },
            action: "a.b",
            summary: said,
            resource: { type: "a", id: "1" }
          },
          within
        )
        const run = await runs.trigger({ tenant, recipe: "greet", input: { name: said }, tags: [said] }, within)
        Object.assign(made, { key: id, value, run: run.id })
      }
      const undone = library.transaction(async (client) => {
        await act(client)
        throw new Error("rolled back")
      })
      assert.strictEqual(await undone.catch((error: Error) => error.message), "rolled back")
      assert.deepInclude(await keys.verify(made.value), { valid: false, code: "unknown" })
      assert.strictEqual((await runs.list(tenant)).items.length, 0)
      assert.deepStrictEqual((await feeds.activity.list(tenant)).items, [])
      assert.strictEqual(await feeds.notifications.unreadCount(tenant), 0)
      await library.transaction(act)
      const found = await keys.verify(made.value)
      assert.isTrue(found.valid)
      if (found.valid) assert.deepInclude(found.key, { name: said, metadata: { said } })
      assert.deepInclude(await runs.get(tenant, made.run), { status: "queued", input: { name: said }, tags: [said] })
      assert.deepInclude((await feeds.notifications.list(tenant)).items[0], { title: said, data: { said } })
      assert.strictEqual((await feeds.activity.list(tenant)).items[0]?.summary, said)
      const { rows } = await host().pool.query("select data from agent_webhooks.event where id = $1", [made.event])
      assert.deepStrictEqual(JSON.parse(rows[0].data), { said })
      await library.end()
    })
  }

  it("is refused for keys in memory", async () => {
    await using keys = createKeys({ memory: true, scopes: ["read"] })
    const given = { name: "x", scopes: ["read"] } as const
    const within = { client: { query: async () => [] } }
    assert.strictEqual((await refusal(() => keys.create("t", given, within))).code, "client_without_database")
  })
})
