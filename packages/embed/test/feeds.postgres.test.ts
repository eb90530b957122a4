/** Feeds of a host's tenants, in memory and in its database alike. */
import { createFeeds, type EmbeddedFeeds } from "@agent-platform/embed/feeds"
import pg from "pg"
import { assert, describe, it } from "vitest"
import { sharedHost } from "./database.ts"
import { refusal } from "./refusal.ts"

const host = sharedHost()

const OWN = [
  "activity",
  "erasure",
  "fingerprint_key",
  "idempotency_key",
  "job_run",
  "notification",
  "notification_closing",
  "notification_read",
  "notification_reader",
  "notification_tally",
  "platform_migration"
]

const places: ReadonlyArray<readonly [string, () => EmbeddedFeeds]> = [
  ["in memory", () => createFeeds({ memory: true })],
  ["in the host's pool", () => createFeeds({ database: host().pool })],
  ["by a URL", () => createFeeds({ database: host().url, schema: "by_url" })]
]

const actor = { type: "user", id: "ada", label: "Ada" } as const
const act = (tenant: string, n: number) => ({
  tenant,
  actor,
  action: "invoice.sent",
  summary: `Ada sent invoice ${n}`,
  resource: { type: "invoice", id: String(n) },
  data: { n }
})

for (const [place, open] of places) {
  describe(`feeds ${place}`, () => {
    it("show notifications to readers, each of whom has marks of its own", async () => {
      await using feeds = open()
      await feeds.migrate()
      await feeds.start()
      const [tenant, ada, bob] = ["Acme & Söhne", { reader: "ada" }, { reader: "bob" }]
      const { list, markRead, post, unreadCount } = feeds.notifications
      const toAll = await post({ tenant, type: "plan.changed", title: "A new plan", data: { plan: "large" } })
      const own = await post({ tenant, ...ada, type: "invoice.overdue", title: "Invoice 7", body: "Since Monday" })
      await post({ tenant: "other", ...ada, type: "invoice.overdue", title: "Invoice 8" })
      const shown = await list(tenant, ada)
      assert.strictEqual(shown.unreadCount, 2)
      assert.deepStrictEqual(new Set(shown.items.map(({ id }) => id)), new Set([toAll, own]))
      assert.deepInclude(
        shown.items.find(({ id }) => id === own),
        { type: "invoice.overdue", body: "Since Monday", toAll: false, read: false }
      )
      assert.deepInclude(
        shown.items.find(({ id }) => id === toAll),
        { data: { plan: "large" }, toAll: true }
      )
      assert.strictEqual(await unreadCount(tenant, bob), 1)
      assert.strictEqual(await unreadCount(tenant), 1)
      assert.deepStrictEqual(await markRead(tenant, [own, "no-uuid"], bob), { unreadCount: 1 })
      assert.deepStrictEqual(await markRead(tenant, [own], ada), { unreadCount: 1 })
      assert.deepStrictEqual(await markRead(tenant, "all", ada), { unreadCount: 0 })
      assert.isTrue((await list(tenant, ada)).items.every(({ read }) => read))
      assert.strictEqual(await unreadCount(tenant, bob), 1)
    })

    it("list activity newest first, by pages and filters, of its tenant alone", async () => {
      await using feeds = open()
      await feeds.migrate()
      const tenant = "active"
      const ids: Array<string> = []
      for (const n of [1, 2, 3]) ids.unshift(await feeds.activity.record(act(tenant, n)))
      const other = {
        ...act(tenant, 4),
        actor: { ...actor, type: "agent" },
        resource: { type: "draft", id: "4" }
      } as const
      const fourth = await feeds.activity.record(other)
      const page = await feeds.activity.list(tenant, { limit: 2 })
      const rest = await feeds.activity.list(tenant, { limit: 2, after: page.next })
      assert.deepStrictEqual(
        [...page.items, ...rest.items].map(({ id }) => id),
        [fourth, ...ids]
      )
      assert.deepInclude(rest.items[1], { summary: "Ada sent invoice 1", actor, data: { n: 1 } })
      assert.strictEqual((await feeds.activity.list(tenant, { actorType: "agent" })).items[0]?.id, fourth)
      assert.strictEqual((await feeds.activity.list(tenant, { resourceType: "invoice" })).items.length, 3)
      assert.deepStrictEqual((await feeds.activity.list("else")).items, [])
    })

    it("refuse what cannot be", async () => {
      await using feeds = open()
      await feeds.migrate()
      const notice = { tenant: "t", type: "a.b", title: "A" }
      const given: ReadonlyArray<readonly [object, string, RegExp]> = [
        [{ tenant: "" }, "tenant_invalid", /1 to 256 bytes/],
        [{ reader: "" }, "reader_invalid", /A reader is a text/],
        [{ type: "a b" }, "input_invalid", /type is 1 to 128 letters/],
        [{ title: "" }, "input_invalid", /title/],
        [{ body: "\u0000" }, "input_invalid", /U\+0000/],
        [{ data: [] }, "input_invalid", /JSON object/],
        [{ data: { x: "x".repeat(20_000) } }, "input_invalid", /16384/]
      ]
      for (const [change, code, said] of given) {
        const error = await refusal(() => feeds.notifications.post({ ...notice, ...change }))
        assert.strictEqual(error.code, code, JSON.stringify(Object.keys(change)))
        assert.match(error.message, said)
      }
      const many = () => feeds.notifications.markRead("t", Array.from({ length: 101 }, String))
      assert.strictEqual((await refusal(many)).code, "input_invalid")
      const nobody = { ...act("t", 1), actor: { ...actor, type: "nobody" as never } }
      assert.strictEqual((await refusal(() => feeds.activity.record(nobody))).code, "input_invalid")
      const noClient = () => feeds.notifications.post(notice, { client: {} as never })
      assert.include(["client_without_database", "input_invalid"], (await refusal(noClient)).code)
      assert.strictEqual(await feeds.notifications.unreadCount("t"), 0)
    })
  })
}

describe("feeds in a host's database", () => {
  it("have tables of their own, by name, and nothing else", async () => {
    const before = await host().everythingBut()
    await using feeds = createFeeds({ database: host().url, schema: "named" })
    assert.strictEqual((await refusal(() => feeds.notifications.list("acme"))).code, "not_migrated")
    assert.include(await feeds.migrate(), "feeds_0001_first")
    assert.deepStrictEqual(await host().tablesIn("named"), OWN)
    assert.strictEqual(await host().everythingBut("named"), before)
    assert.deepStrictEqual(await feeds.migrate(), [])
  })

  it("are part of the host's transaction, and of nothing that was rolled back", async () => {
    await using feeds = createFeeds({ database: host().pool, schema: "guests" })
    await feeds.migrate()
    await using session = await host().session()
    const { client } = session
    const [tenant, within] = ["t", { client }]
    for (const end of ["rollback", "commit"]) {
      await client.query("begin")
      await feeds.notifications.post({ tenant, type: "a.b", title: end }, within)
      await feeds.activity.record({ ...act(tenant, 1), summary: end }, within)
      assert.deepStrictEqual(
        (await feeds.notifications.list(tenant, within)).items.map(({ title }) => title),
        [end]
      )
      assert.deepStrictEqual(
        (await feeds.activity.list(tenant, {}, within)).items.map(({ summary }) => summary),
        [end]
      )
      assert.strictEqual(await feeds.notifications.unreadCount(tenant), 0)
      await client.query(end)
    }
    assert.strictEqual(await feeds.notifications.unreadCount(tenant), 1)
    await client.query("begin")
    assert.deepStrictEqual(await feeds.notifications.markRead(tenant, "all", within), { unreadCount: 0 })
    await client.query("rollback")
    assert.strictEqual(await feeds.notifications.unreadCount(tenant), 1)
  })

  it("begin inside of transactions that hold all connections of the host's pool but the one that listens", async () => {
    await using made = createFeeds({ database: host().pool, schema: "busy" })
    await made.migrate()
    const pool = new pg.Pool({ connectionString: host().url, max: 3, connectionTimeoutMillis: 5_000 })
    const clients = [await pool.connect(), await pool.connect()]
    try {
      await using feeds = createFeeds({ database: pool, schema: "busy" })
      await Promise.all(
        clients.map(async (client, n) => {
          await client.query("begin")
          await feeds.activity.record(act("t", n), { client })
          await client.query("commit")
        })
      )
      assert.lengthOf((await made.activity.list("t")).items, 2)
    } finally {
      for (const client of clients) client.release()
      await pool.end()
    }
  })

  it("are filed and forgotten by any number of processes at once, once", async () => {
    const open = () =>
      createFeeds({
        database: host().pool,
        schema: "tidied",
        notificationDays: 30,
        activityDays: 30,
        notificationsMax: 50
      })
    await using writer = open()
    await writer.migrate()
    for (let n = 0; n < 60; n++) await writer.notifications.post({ tenant: "t", type: "a.b", title: String(n) })
    await writer.activity.record(act("t", 1))
    // Ids begin with their time: this entry is as of 2020.
    await host().pool.query(
      "update tidied.activity set id = overlay(id::text placing '016f5e66-e800' from 1 for 13)::uuid"
    )
    const opened = [open(), open(), open()]
    await Promise.all(opened.map((one) => one.start()))
    while ((await writer.notifications.unreadCount("t")) !== 50);
    while ((await writer.activity.list("t")).items.length > 0);
    await Promise.all(opened.map((one) => one.close()))
    const { items } = await writer.notifications.list("t")
    assert.deepStrictEqual([items.length, items[0]?.title], [50, "59"])
  })
})
