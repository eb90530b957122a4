/** Beside a host's own pg-boss, of whichever version, nothing of it changes. */
import { randomBytes } from "node:crypto"
import { createWebhooks, EmbedError } from "@agent-platform/embed/webhooks"
import { PgBoss } from "pg-boss"
import PgBoss10 from "pg-boss-10"
import { assert, describe, it } from "vitest"
import { hostDatabase } from "./database.ts"
import { startReceiver } from "./receiver.ts"

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

describe("a host with a pg-boss of its own", () => {
  for (const [version, start] of Object.entries(bosses)) {
    it(`of version ${version} has it unchanged beside webhooks, and its schema is refused for ours`, async () => {
      await using host = await hostDatabase()
      await using receiver = await startReceiver()
      const stop = await start(host.url)
      await stop()
      const state = async () => ({
        objects: await host.everythingBut("agent_webhooks"),
        version: (await host.pool.query("select version from pgboss.version")).rows
      })
      const before = await state()
      await using webhooks = createWebhooks({ database: host.pool, secretsKey, allowLoopback: true })
      await webhooks.migrate()
      await webhooks.start()
      await webhooks.endpoints.create("acme", { url: receiver.url })
      await webhooks.publish({ tenant: "acme", type: "invoice.paid", data: {} })
      await receiver.until(1)
      assert.deepStrictEqual(await state(), before)
      await using misled = createWebhooks({ database: host.pool, secretsKey, schema: "pgboss" })
      const error = await misled.migrate().then(
        () => assert.fail("It was installed"),
        (reason) => reason
      )
      assert.instanceOf(error, EmbedError)
      assert.strictEqual(error.code, "schema_taken")
      assert.match(error.message, /is that of a pg-boss.*choose another schema/)
      assert.deepStrictEqual(await state(), before)
    })
  }
})
