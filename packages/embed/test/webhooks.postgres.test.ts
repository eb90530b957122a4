/** Webhooks in the database and the transactions of a host. */
import { randomBytes } from "node:crypto"
import { createWebhooks, type WebhooksOptions } from "@agent-platform/embed/webhooks"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type HostOfTests, hostDatabase } from "./database.ts"
import { type Receiver, startReceiver } from "./receiver.ts"
import { refusal } from "./refusal.ts"

const secretsKey = randomBytes(32).toString("base64")

let host: HostOfTests
let receiver: Receiver
beforeAll(async () => {
  host = await hostDatabase()
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]()
  await host?.[Symbol.asyncDispose]()
})

const OWN = [
  "erasure",
  "event",
  "event_default",
  "event_outbox",
  "fingerprint_key",
  "idempotency_key",
  "job_run",
  "platform_migration",
  "webhook_attempt",
  "webhook_attempt_default",
  "webhook_delivery",
  "webhook_delivery_default",
  "webhook_endpoint",
  "webhook_event_type",
  "webhook_replay",
  "webhook_setting",
  "webhook_tenant"
]

const open = (options: Partial<WebhooksOptions> & { readonly schema?: string } = {}) =>
  createWebhooks({ database: host.pool, secretsKey, allowLoopback: true, ...options } as WebhooksOptions)

describe("webhooks in a host's database", () => {
  it("makes its own tables in its own schema, by name, and nothing else", async () => {
    const before = await host.everythingBut()
    await using webhooks = createWebhooks({ database: host.url, secretsKey, schema: "named" })
    assert.include(await webhooks.migrate(), "webhooks_0001_first")
    const months = /_\d{4}_\d\d$/
    const tables = await host.tablesIn("named")
    assert.deepStrictEqual(
      tables.filter((name) => !months.test(name)),
      OWN
    )
    assert.deepStrictEqual(
      [...new Set(tables.filter((name) => months.test(name)).map((name) => name.replace(months, "")))],
      ["event", "webhook_attempt", "webhook_delivery"]
    )
    assert.strictEqual(await host.everythingBut("named"), before)
    assert.deepStrictEqual(await webhooks.migrate(), [])
  })

  it("says what to do where the tables are missing", async () => {
    await using webhooks = open({ schema: "missing" })
    const error = await refusal(() => webhooks.endpoints.list("acme"))
    assert.strictEqual(error.code, "not_migrated")
    assert.include(error.message, "migrate()")
    await webhooks.migrate()
    assert.deepStrictEqual((await webhooks.endpoints.list("acme")).items, [])
  })

  for (const database of ["the host's pool", "a URL"] as const) {
    it(`delivers within the host's transaction, by ${database}, and nothing that was rolled back`, async () => {
      const schema = database === "a URL" ? "by_url" : "by_pool"
      // So rarely does the worker look by the clock: what it delivers it was woken for.
      const rules = { schema, pollSeconds: 3600 }
      await using webhooks = open(database === "a URL" ? { ...rules, database: host.url } : rules)
      await webhooks.migrate()
      await webhooks.start()
      const from = receiver.received.length
      const { id, secret } = await webhooks.endpoints.create("acme", {
        url: receiver.url,
        eventTypes: ["invoice.paid"]
      })
      assert.match(secret, /^whsec_/)
      const client = await host.pool.connect()
      await client.query("begin")
      await webhooks.publish({ tenant: "acme", type: "invoice.paid", data: { undone: true } }, { client })
      await client.query("rollback")
      await client.query("begin")
      const eventId = await webhooks.publish({ tenant: "acme", type: "invoice.paid", data: { n: 1 } }, { client })
      await client.query("commit")
      const committed = Date.now()
      client.release()
      const [got] = (await receiver.until(from + 1)).slice(from)
      assert.strictEqual(JSON.parse(got?.body ?? "").id, eventId)
      assert.deepStrictEqual(JSON.parse(got?.body ?? "").data, { n: 1 })
      assert.isBelow((got?.at ?? 0) - committed, 2_000)
      await webhooks.close()
      await using again = open({ schema })
      const [delivery] = await again.deliveries.list("acme", id)
      assert.strictEqual(delivery?.state, "delivered")
      assert.strictEqual((await again.deliveries.list("acme", id)).length, 1)
    })
  }

  it("delivers without a NOTIFY when it is woken after the commit", async () => {
    await using webhooks = open({ schema: "quiet", pollSeconds: 3600, notify: false })
    await webhooks.migrate()
    await webhooks.start()
    await webhooks.endpoints.create("acme", { url: receiver.url })
    const from = receiver.received.length
    const listener = await host.pool.connect()
    let notified = 0
    listener.on("notification", () => notified++)
    await listener.query("listen quiet_signal")
    const id = await webhooks.publish({ tenant: "acme", type: "invoice.paid", data: {} }, { client: host.pool })
    await listener.query("select 1")
    assert.strictEqual(notified, 0)
    await webhooks.wake()
    const [got] = (await receiver.until(from + 1)).slice(from)
    assert.strictEqual(got?.headers["webhook-id"], id)
    await listener.query("unlisten *")
    listener.release()
  })

  it("takes the events of any language by publish_event, of roles that were granted it", async () => {
    await using webhooks = open({ schema: "called", eventTypes: { "invoice.paid": {} }, dataBytesMax: 100 })
    await webhooks.migrate()
    await webhooks.start()
    const from = receiver.received.length
    await webhooks.endpoints.create("acme", { url: receiver.url })
    const { rows } = await host.pool.query("select called.publish_event('acme', 'invoice.paid', '{\"n\": 1}') as id")
    const [got] = (await receiver.until(from + 1)).slice(from)
    const body = JSON.parse(got?.body ?? "")
    assert.strictEqual(body.id, rows[0].id)
    assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
    assert.isBelow(Math.abs(Date.parse(body.created_at) - Date.now()), 60_000)

    const refused = async (call: string, wanted: RegExp) => {
      const error: Error & { code?: string } = await host.pool.query(`select called.publish_event(${call})`).then(
        () => assert.fail(`${call} was taken`),
        (reason) => reason
      )
      assert.match(error.message, wanted)
      assert.strictEqual(error.code, "22023")
    }
    await refused("'', 'invoice.paid', '{}'", /1 to 256 bytes/)
    await refused("null, 'invoice.paid', '{}'", /1 to 256 bytes/)
    await refused("'acme', 'a b', '{}'", /letters, digits/)
    await refused("'acme', 'invoice.void', '{}'", /no event type 'invoice.void'/)
    await refused("'acme', 'invoice.paid', '[]'", /JSON object/)
    await refused("'acme', 'invoice.paid', null", /JSON object/)
    await refused("'acme', 'invoice.paid', jsonb_build_object('n', repeat('x', 100))", /at most/)
    await refused("'acme', 'invoice.paid', '{}', gen_random_uuid()", /UUIDv7/)
    await refused(`'other', 'invoice.paid', '{}', '${body.id}'`, /another event/)

    const again = await host.pool.query(`select called.publish_event('acme', 'invoice.paid', '{}', '${body.id}') as id`)
    assert.strictEqual(again.rows[0].id, body.id)

    await host.pool.query("create role embed_stranger; grant usage on schema called to embed_stranger")
    const client = await host.pool.connect()
    await client.query("set role embed_stranger")
    const call = () => client.query("select called.publish_event('acme', 'invoice.paid', '{}')")
    const denied: Error = await call().then(
      () => assert.fail("A stranger published"),
      (reason) => reason
    )
    assert.match(denied.message, /permission denied for function/)
    await host.pool.query("grant execute on function called.publish_event to embed_stranger")
    await call()
    await client.query("reset role")
    client.release()
    await host.pool.query("drop owned by embed_stranger; drop role embed_stranger")
    assert.strictEqual((await receiver.until(from + 2)).length, from + 2)
  })

  it("gives tenants the same ids in SQL as here, whatever they are called", async () => {
    await using webhooks = open({ schema: "tenants" })
    await webhooks.migrate()
    const names = [
      "acme",
      "é",
      "😀".repeat(60),
      "x".repeat(39),
      "x".repeat(40),
      "x".repeat(47),
      "x".repeat(48),
      "x".repeat(256)
    ]
    const uuid = "0198b6a4-33d5-7a21-8f00-0123456789AB"
    for (const tenant of [...names, uuid]) {
      const { rows } = await host.pool.query("select tenants.webhook_tenant_id($1) as id", [tenant])
      const { id } = await webhooks.endpoints.create(tenant, { url: receiver.url })
      const kept = await host.pool.query("select organization_id from tenants.webhook_endpoint where id = $1", [id])
      assert.strictEqual(kept.rows[0].organization_id, rows[0].id, tenant)
    }
    const { rows } = await host.pool.query("select tenants.webhook_tenant_id($1) as id", [uuid])
    assert.strictEqual(rows[0].id, uuid.toLowerCase())
  })

  it("replays a range without a queue of jobs, by several processes at once, each delivery once", async () => {
    await using one = open({ schema: "replayed", retryDelaysSeconds: [] })
    await one.migrate()
    await using two = open({ schema: "replayed", retryDelaysSeconds: [] })
    await Promise.all([one.start(), two.start()])
    const { id } = await one.endpoints.create("acme", { url: receiver.url })
    const since = new Date(Date.now() - 1000)
    const from = receiver.received.length
    receiver.status = 500
    const ids = await Promise.all(
      Array.from({ length: 30 }, (_, n) => one.publish({ tenant: "acme", type: "invoice.paid", data: { n } }))
    )
    await receiver.until(from + 30)
    const settled = async (state: string) => {
      while (true) {
        const { rows } = await host.pool.query(
          "select count(*)::int as n from replayed.webhook_delivery where state = $1",
          [state]
        )
        if (rows[0].n === 30) return
      }
    }
    await settled("dead")
    receiver.status = 200
    const replay = await two.replays.start("acme", id, { since })
    await receiver.until(from + 60)
    await settled("delivered")
    while ((await one.replays.get("acme", replay.id)).state !== "completed");
    assert.strictEqual((await one.replays.get("acme", replay.id)).replayedCount, 30)
    const again = receiver.received.slice(from + 30).map(({ headers }) => headers["webhook-id"])
    assert.deepStrictEqual([...again].sort(), [...ids].sort())
  })

  it("lets several processes migrate and start at once", async () => {
    const opened = [open({ schema: "together" }), open({ schema: "together", database: host.url })]
    await Promise.all(opened.map((one) => one.migrate()))
    await Promise.all(opened.map((one) => one.start()))
    await Promise.all(opened.map((one) => one.close()))
    assert.include(await host.tablesIn("together"), "event_outbox")
  })

  it("forgets old months in any number of processes, once and without a failure", async () => {
    await using webhooks = open({ schema: "tidied" })
    await webhooks.migrate()
    await host.pool.query("select tidied.prepare_delivery_month('2020-01-01')")
    assert.include(await host.tablesIn("tidied"), "event_2020_01")
    const current = (await host.tablesIn("tidied")).filter((name) => !name.endsWith("_2020_01"))
    const lines: Array<string> = []
    const opened = Array.from({ length: 3 }, () =>
      open({
        schema: "tidied",
        log: ({ level, message, cause }) => {
          if (level === "error") lines.push(`${message} ${cause ?? ""}`)
        }
      })
    )
    await Promise.all(opened.map((one) => one.start()))
    while ((await host.tablesIn("tidied")).some((name) => name.endsWith("_2020_01")));
    await Promise.all(opened.map((one) => one.close()))
    assert.deepStrictEqual(await host.tablesIn("tidied"), current)
    assert.deepStrictEqual(lines, [])
  })

  it("refuses a schema that holds what is in its way, and changes nothing of it", async () => {
    await host.pool.query(`
      create schema crowded; create table crowded.event (mine int); create table crowded.other (mine int);
      create schema foreigners; create table foreigners.platform_migration (mine int);
      create schema roomy; create table roomy.customer (mine int)
    `)
    for (const [schema, said] of [
      ["crowded", /has event already/],
      ["foreigners", /platform_migration that is not ours/]
    ] as const) {
      const before = await host.everythingBut()
      const error = await refusal(() => open({ schema }).migrate())
      assert.strictEqual(error.code, "schema_taken")
      assert.match(error.message, said)
      assert.match(error.message, /choose another schema/)
      assert.strictEqual(await host.everythingBut(), before)
    }
    await open({ schema: "roomy" }).migrate()
    assert.include(await host.tablesIn("roomy"), "customer")
  })

  it("does not migrate a schema of a later release, and works beside that one", async () => {
    await open({ schema: "later" }).migrate()
    await host.pool.query(
      "insert into later.platform_migration (domain, number, name) values ('webhooks', 99, 'later')"
    )
    const error = await refusal(() => open({ schema: "later" }).migrate())
    assert.strictEqual(error.code, "schema_ahead")
    assert.match(error.message, /Run a release/)
    assert.deepStrictEqual(error.details, { schema: "later" })
    await using beside = open({ schema: "later" })
    assert.deepStrictEqual((await beside.endpoints.list("acme")).items, [])
  })

  it("refuses a schema of before the first release, and changes nothing of it", async () => {
    await open({ schema: "earlier" }).migrate()
    await host.pool.query("update earlier.platform_migration set digest = 'of another' where domain = 'webhooks'")
    const before = await host.everythingBut()
    for (const call of [
      () => open({ schema: "earlier" }).migrate(),
      () => open({ schema: "earlier" }).start(),
      () => open({ schema: "earlier" }).endpoints.list("acme")
    ]) {
      const error = await refusal(call)
      assert.strictEqual(error.code, "schema_too_old")
      assert.match(error.message, /^The schema "earlier" was made .*choose another schema, or drop this one$/)
    }
    assert.strictEqual(await host.everythingBut(), before)
  })

  it("refuses a schema that lacks a step of this release until it was migrated, and goes on then", async () => {
    await open({ schema: "behind" }).migrate()
    await using webhooks = open({ schema: "behind" })
    const [step] = (
      await host.pool.query(
        `delete from behind.platform_migration
         where (domain, number) = (select domain, max(number) from behind.platform_migration where domain = 'publishing' group by 1)
         returning domain, number, name, digest, run_at`
      )
    ).rows
    const error = await refusal(() => webhooks.endpoints.list("acme"))
    assert.strictEqual(error.code, "not_migrated")
    assert.match(
      error.message,
      /lacks 1 steps of this release, beginning with publishing_\d{4}_.*: call migrate\(\) first$/
    )
    await host.pool.query(
      "insert into behind.platform_migration (domain, number, name, digest, run_at) values ($1, $2, $3, $4, $5)",
      Object.values(step)
    )
    assert.deepStrictEqual((await webhooks.endpoints.list("acme")).items, [])
  })

  it("keeps to a pool of the host: nothing of its sessions is changed, and it stays open", async () => {
    await using webhooks = open({ schema: "borrowed" })
    await webhooks.migrate()
    await webhooks.start()
    await webhooks.close()
    assert.strictEqual(host.pool.waitingCount, 0)
    assert.strictEqual(host.pool.idleCount, host.pool.totalCount)
    const { rows } = await host.pool.query(
      "select current_setting('statement_timeout') as t, current_setting('search_path') as p"
    )
    assert.deepStrictEqual(rows[0], { t: "0", p: '"$user", public' })
  })
})
