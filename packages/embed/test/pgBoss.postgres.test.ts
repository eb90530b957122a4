/** Beside a host's own pg-boss, of whichever version, nothing of it changes. */
import { randomBytes } from "node:crypto"
import { createFeeds } from "@agent-platform/embed/feeds"
import { createRuns } from "@agent-platform/embed/runs"
import { createWebhooks } from "@agent-platform/embed/webhooks"
import { PgBoss } from "pg-boss"
import PgBoss10 from "pg-boss-10"
import { assert, describe, it } from "vitest"
import { hostDatabase } from "./database.ts"
import { startReceiver } from "./receiver.ts"
import { refusal } from "./refusal.ts"

const secretsKey = randomBytes(32).toString("base64")

const bosses = {
  10: async (url: string) => {
    const boss = new PgBoss10({ connectionString: url, supervise: false, schedule: false })
    await boss.start()
    return () => boss.stop({ graceful: false })
  },
  12: async (url: string) => {
    const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false })
    await boss.start()
    return () => boss.stop({ graceful: false })
  }
}

const OURS = ["agent_webhooks", "agent_runs", "agent_feeds"]

describe("a host with a pg-boss of its own", () => {
  for (const [version, start] of Object.entries(bosses)) {
    it(`of version ${version} has it unchanged beside the entry points, and its schema is refused for ours`, async () => {
      await using host = await hostDatabase()
      await using receiver = await startReceiver()
      const stop = await start(host.url)
      await stop()
      const state = async () => ({
        objects: await host.everythingBut(...OURS),
        version: (await host.pool.query("select version from pgboss.version")).rows
      })
      const before = await state()
      const tenant = "acme"
      const place = { database: host.pool }
      await using webhooks = createWebhooks({ ...place, secretsKey, allowLoopback: true })
      await using runs = createRuns({ ...place, recipes: { greet: async () => "Hello" } })
      await using feeds = createFeeds(place)
      for (const one of [webhooks, runs, feeds]) {
        await one.migrate()
        await one.start()
      }
      await webhooks.endpoints.create(tenant, { url: receiver.url })
      await webhooks.publish({ tenant, type: "invoice.paid", data: {} })
      await receiver.until(1)
      const { id } = await runs.trigger({ tenant, recipe: "greet" })
      assert.strictEqual((await runs.wait(tenant, id)).status, "succeeded")
      await feeds.notifications.post({ tenant, type: "a.b", title: "A" })
      assert.strictEqual(await feeds.notifications.unreadCount(tenant), 1)
      assert.deepStrictEqual(await state(), before)
      await using misled = createWebhooks({ ...place, secretsKey, schema: "pgboss" })
      await using alsoMisled = createRuns({ ...place, schema: "pgboss", recipes: { greet: async () => "Hello" } })
      await using misledToo = createFeeds({ ...place, schema: "pgboss" })
      for (const one of [misled, alsoMisled, misledToo]) {
        const error = await refusal(() => one.migrate())
        assert.strictEqual(error.code, "schema_taken")
        assert.match(error.message, /is that of a pg-boss.*choose another schema/)
      }
      assert.deepStrictEqual(await state(), before)
    })
  }
})
