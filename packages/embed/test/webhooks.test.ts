/** Webhooks in memory, and what both memory and Postgres refuse. */
import { randomBytes } from "node:crypto"
import { createWebhooks, type EmbeddedWebhooks, type WebhookNotice } from "@agent-platform/embed/webhooks"
import { verify } from "@agent-platform/receiver"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { jsonbBytes } from "../src/internal/json.ts"
import { startReceiver } from "./receiver.ts"
import { refusal } from "./refusal.ts"

const paid = Schema.toStandardSchemaV1(Schema.Struct({ invoice: Schema.String, cents: Schema.Int }))

describe("webhooks in memory", () => {
  it("delivers events that its receiver can verify, as the host wants them", async () => {
    await using receiver = await startReceiver()
    await using webhooks = createWebhooks({
      memory: true,
      allowLoopback: true,
      headerPrefix: "x-acme",
      userAgent: "Acme/1.0",
      eventTypes: { "invoice.paid": { schema: paid, sample: { invoice: "in_0", cents: 1 } }, "invoice.void": {} }
    })
    await webhooks.migrate()
    await webhooks.start()
    const endpoint = await webhooks.endpoints.create("acme", { url: receiver.url, eventTypes: ["invoice.paid"] })
    // @ts-expect-error It must not compile, since the registry gives data its type; what JavaScript sends is refused all the same.
    await refusal(() => webhooks.publish({ tenant: "acme", type: "invoice.paid", data: { invoice: 1 } }))
    // @ts-expect-error It must not compile, since there are no types but those of the registry; it is refused all the same.
    await refusal(() => webhooks.publish({ tenant: "acme", type: "invoice.lost", data: {} }))
    await webhooks.publish({ tenant: "acme", type: "invoice.void", data: {} })
    await webhooks.publish({ tenant: "other", type: "invoice.paid", data: { invoice: "in_1", cents: 5 } })
    const id = await webhooks.publish({ tenant: "acme", type: "invoice.paid", data: { invoice: "in_1", cents: 5 } })
    const [got = assert.fail("Nothing came")] = await receiver.until(1)
    assert.strictEqual(got.headers["user-agent"], "Acme/1.0")
    assert.strictEqual(got.headers["x-acme-event-type"], "invoice.paid")
    const headers = new Headers(
      Object.entries(got.headers).map(([name, value]): [string, string] => [name, String(value)])
    )
    const event = await verify(got.body, headers, endpoint.secret)
    assert.strictEqual(event.id, id)
    await webhooks.endpoints.test("acme", endpoint.id, "invoice.paid")
    const [, test] = await receiver.until(2)
    assert.deepStrictEqual(JSON.parse(test?.body ?? "").data, { invoice: "in_0", cents: 1, test: true })
    assert.strictEqual(receiver.received.length, 2)
  })

  it("tries again by the host's schedule, and tells of what is dead by the tenant's own name", async () => {
    await using receiver = await startReceiver()
    receiver.status = 500
    const notices: Array<WebhookNotice> = []
    let told: () => void = () => undefined
    const isTold = new Promise<void>((resolve) => {
      told = resolve
    })
    await using webhooks = createWebhooks({
      memory: true,
      allowLoopback: true,
      retryDelaysSeconds: [0.05, 0.05],
      onNotice: (notice) => {
        notices.push(notice)
        told()
      }
    })
    await webhooks.start()
    const { id } = await webhooks.endpoints.create("Acme & Söhne", { url: receiver.url })
    await webhooks.publish({ tenant: "Acme & Söhne", type: "invoice.paid", data: {} })
    await receiver.until(3)
    await isTold
    assert.deepInclude(notices[0], { type: "delivery_dead", tenant: "Acme & Söhne", endpointId: id })
    const [delivery] = await webhooks.deliveries.list("Acme & Söhne", id)
    assert.deepInclude(delivery, { state: "dead", stateReason: "retries_exhausted", attemptCount: 3 })
  })

  it("changes, rotates, lists by pages and deletes endpoints, each of its tenant alone", async () => {
    await using receiver = await startReceiver()
    await using webhooks = createWebhooks({ memory: true, allowLoopback: true, activeEndpointsMax: 2 })
    const { url } = receiver
    const first = await webhooks.endpoints.create("acme", { url })
    const second = await webhooks.endpoints.create("acme", { url, description: "second" })
    assert.strictEqual((await refusal(() => webhooks.endpoints.create("acme", { url }))).code, "endpoint_limit_reached")
    const page = await webhooks.endpoints.list("acme", { limit: 1 })
    assert.deepStrictEqual(
      page.items.map(({ id }) => id),
      [second.id]
    )
    const rest = await webhooks.endpoints.list("acme", { limit: 1, after: page.next })
    assert.deepStrictEqual(
      rest.items.map(({ id }) => id),
      [first.id]
    )
    const changed = await webhooks.endpoints.update("acme", first.id, { status: "disabled", eventTypes: ["a.b"] })
    assert.deepInclude(changed, { status: "disabled", eventTypes: ["a.b"], tenant: "acme" })
    const rotated = await webhooks.endpoints.rotateSecret("acme", first.id)
    assert.notStrictEqual(rotated.secret, first.secret)
    assert.notProperty(await webhooks.endpoints.get("acme", first.id), "secret")
    assert.strictEqual((await webhooks.endpoints.delete("acme", first.id)).status, "deleted")
    for (const act of [
      () => webhooks.endpoints.get("other", second.id),
      () => webhooks.endpoints.delete("other", second.id),
      () => webhooks.endpoints.get("acme", "no-uuid")
    ]) {
      assert.strictEqual((await refusal(act)).code, "endpoint_not_found")
    }
  })

  it("publishes an id once", async () => {
    await using receiver = await startReceiver()
    await using webhooks = createWebhooks({ memory: true, allowLoopback: true })
    await webhooks.start()
    await webhooks.endpoints.create("acme", { url: receiver.url })
    const id = await webhooks.publish({ tenant: "acme", type: "a", data: {} })
    assert.strictEqual(await webhooks.publish({ tenant: "acme", type: "a", data: {}, id }), id)
    const other = await refusal(() => webhooks.publish({ tenant: "other", type: "a", data: {}, id }))
    assert.strictEqual(other.code, "event_refused")
    await webhooks.publish({ tenant: "acme", type: "b", data: {} })
    await receiver.until(2)
    assert.deepStrictEqual(receiver.received.map(({ headers }) => headers["x-service-event-type"]).sort(), ["a", "b"])
  })

  it("refuses what cannot be, and says what is wanted", async () => {
    const TWICE = randomBytes(32).toString("base64")
    const options: ReadonlyArray<readonly [unknown, string, RegExp]> = [
      [{}, "option_invalid", /database/],
      [{ database: "postgres://localhost/x" }, "option_invalid", /openssl rand/],
      [{ database: "nonsense", secretsKey: "x" }, "database_invalid", /URL/],
      [{ database: {}, secretsKey: "x" }, "database_invalid", /pg\.Pool/],
      [{ database: "postgres://localhost/x", secretsKey: "x", schema: "Pg; drop" }, "schema_invalid", /small letters/],
      [
        { memory: true, secretsKey: "c2hvcnQ=" },
        "option_invalid",
        /secretsKey has a key that has 5 bytes instead of 32/
      ],
      [
        { database: "postgres://localhost/x", secretsKey: "short" },
        "option_invalid",
        /^secretsKey has a key that is not base64/
      ],
      [{ memory: true, secretsKey: `${TWICE},${TWICE}` }, "option_invalid", /secretsKey has the same id twice/],
      [{ memory: true, secretsKey: 7 }, "option_invalid", /openssl rand/],
      [{ memory: true, retryDelaysSeconds: [-1] }, "option_invalid", /retryDelaysSeconds/],
      [{ memory: true, userAgent: "a\nb" }, "option_invalid", /userAgent/],
      [{ memory: true, headerPrefix: "X Y" }, "option_invalid", /headerPrefix/],
      [{ memory: true, eventTypes: { "a b": {} } }, "event_type_invalid", /letters, digits/],
      [{ memory: true, eventTypes: { "": {} } }, "event_type_invalid", /letters, digits/]
    ]
    for (const [given, code, said] of options) {
      const error = await refusal(() => createWebhooks(given as Parameters<typeof createWebhooks>[0]))
      assert.strictEqual(error.code, code, JSON.stringify(given))
      assert.match(error.message, said)
    }
    await using webhooks = createWebhooks({ memory: true, eventTypes: { a: { schema: paid } }, dataBytesMax: 50 })
    const publish = (event: object) => () =>
      webhooks.publish(event as Parameters<EmbeddedWebhooks["publish"]>[0] & { type: "a" } as never)
    const data = { invoice: "in_1", cents: 1 }
    const events: ReadonlyArray<readonly [object, string, RegExp]> = [
      [{ tenant: "", type: "a", data }, "tenant_invalid", /1 to 256 bytes/],
      [{ tenant: "x".repeat(257), type: "a", data }, "tenant_invalid", /257/],
      [{ tenant: "a\u0000", type: "a", data }, "tenant_invalid", /U\+0000/],
      [{ tenant: "a\ud800", type: "a", data }, "tenant_invalid", /surrogate/],
      [{ type: "a", data }, "tenant_invalid", /undefined/],
      [{ tenant: "t", type: "b", data }, "event_type_unknown", /There are: a/],
      [{ tenant: "t", type: "a b", data }, "event_type_invalid", /letters/],
      [{ tenant: "t", type: "a", data: { invoice: "in_1" } }, "event_data_invalid", /cents/],
      [{ tenant: "t", type: "a", data: { invoice: "\u0000", cents: 1 } }, "event_data_invalid", /U\+0000/],
      [{ tenant: "t", type: "a", data: { invoice: "x".repeat(60), cents: 1 } }, "event_data_invalid", /50/],
      [{ tenant: "t", type: "a", data, id: "0198b6a4-33d5-7a21-8f00-0123456789ab" }, "event_id_invalid", /24 hours/],
      [{ tenant: "t", type: "a", data, id: "x" }, "event_id_invalid", /UUIDv7/]
    ]
    for (const [event, code, said] of events) {
      const error = await refusal(publish(event))
      assert.strictEqual(error.code, code, JSON.stringify(event))
      assert.match(error.message, said)
    }
    const client = { query: async () => undefined }
    const unclear = await refusal(() => webhooks.publish({ tenant: "t", type: "a", data }, { client }))
    assert.strictEqual(unclear.code, "client_without_database")
    const inward = await refusal(() => webhooks.endpoints.create("t", { url: "https://127.0.0.1/" }))
    assert.strictEqual(inward.code, "url_not_public")
    assert.match(inward.message, /public/)
    await webhooks.close()
    assert.strictEqual((await refusal(() => webhooks.endpoints.list("t"))).code, "closed")
  })

  it("measures JSON as Postgres writes it", () => {
    assert.strictEqual(
      jsonbBytes({ a: 1, b: [2, 3, {}], é: null }),
      Buffer.byteLength('{"a": 1, "b": [2, 3, {}], "é": null}')
    )
    assert.strictEqual(jsonbBytes(1.5e-7), "0.00000015".length)
    assert.strictEqual(jsonbBytes(-1e21), "-1000000000000000000000".length)
  })

  it("keeps its secret key to itself", () => {
    const secretsKey = randomBytes(32).toString("base64")
    assert.notInclude(JSON.stringify(createWebhooks({ memory: true, secretsKey })), secretsKey)
  })
})
