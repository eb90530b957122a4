/** Inbound webhooks that are signed by the senders' own libraries. Spec: Inbound hooks. */
import { createHmac } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { anAgent, BASE_URL, layer as layerApi, TestApi } from "./support.ts"

const stripe = new Stripe("sk_test_unused")

const given = Effect.fnUntraced(function* (verification: string, secret?: string) {
  const api = yield* TestApi
  const tenant = yield* api.tenant
  const agent = yield* anAgent(tenant)
  const { json } = yield* api.call("POST", `/api/v1/agents/${agent}/webhooks`, {
    key: tenant.workspaceKey,
    body: { verification, ...(secret === undefined ? {} : { secret }) }
  })
  const path = String(json["url"]).slice(BASE_URL.length)
  return {
    secret: String(json["secret"]),
    send: (raw: string, headers: Readonly<Record<string, string>>) => api.call("POST", path, { raw, headers }),
    triggerOf: (run: unknown) =>
      Effect.map(
        api.call("GET", `/api/v1/runs/${run}`, { key: tenant.workspaceKey }),
        ({ json }) => json["trigger"] as unknown
      )
  }
})

const seconds = () => Math.floor(Date.now() / 1000)

const stripeHeaders = (payload: string, secret: string, timestamp = seconds()) => ({
  "stripe-signature": stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
})

const standardHeaders = (payload: string, secret: string, id: string, at = new Date()) => ({
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
  "webhook-signature": new Webhook(secret).sign(id, at, payload)
})

const githubHeaders = (payload: string, secret: string) => ({
  "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(payload).digest("hex")}`
})

const body = (id: string, more: object = {}) => JSON.stringify({ id, text: "grüße 💡", ...more })

layer(layerApi, { excludeTestServices: true })("a signed inbound webhook", (it) => {
  const refused = (answer: { readonly status: number; readonly json: { readonly [name: string]: unknown } }) =>
    assert.strictEqual(`${answer.status} ${answer.json["code"]}`, "401 signature_invalid")

  describe("with the preset stripe", () => {
    it.effect("accepts what Stripe's library signs, under the id of its event", () =>
      Effect.gen(function* () {
        const { secret, send, triggerOf } = yield* given("stripe")
        const payload = body("evt_1")
        const { json, status } = yield* send(payload, stripeHeaders(payload, secret))
        assert.strictEqual(status, 202)
        assert.deepStrictEqual(yield* triggerOf(json["run_id"]), { type: "webhook", id: "evt_1" })
      })
    )

    it.effect("accepts one of several signatures, as there are while a secret is rotated", () =>
      Effect.gen(function* () {
        const { secret, send } = yield* given("stripe")
        const payload = body("evt_1")
        const [time = "", good = ""] = stripeHeaders(payload, secret)["stripe-signature"].split(",")
        const header = `${time},v1=${"0".repeat(64)},${good},v0=x`
        assert.strictEqual((yield* send(payload, { "stripe-signature": header })).status, 202)
      })
    )

    it.effect("takes a repetition of the event for the same, though its body has changed", () =>
      Effect.gen(function* () {
        const { secret, send } = yield* given("stripe")
        const runs = yield* Effect.forEach(
          [body("evt_1"), body("evt_1", { pending_webhooks: 2 }), body("evt_2")],
          (raw) => Effect.map(send(raw, stripeHeaders(raw, secret)), ({ json }) => String(json["run_id"]))
        )
        assert.strictEqual(runs[0], runs[1])
        assert.notStrictEqual(runs[0], runs[2])
      })
    )

    it.effect("answers 401 to other secrets, other bodies, other times and no signature", () =>
      Effect.gen(function* () {
        const { secret, send } = yield* given("stripe")
        const payload = body("evt_1")
        const good = stripeHeaders(payload, secret)["stripe-signature"]
        refused(yield* send(payload, {}))
        refused(yield* send(payload, stripeHeaders(payload, "whsec_another")))
        refused(yield* send(`${payload} `, { "stripe-signature": good }))
        refused(yield* send(payload, stripeHeaders(payload, secret, seconds() - 310)))
        refused(yield* send(payload, stripeHeaders(payload, secret, seconds() + 310)))
        refused(yield* send(payload, { "stripe-signature": good.replace(/t=\d+/, `t=${seconds() + 1}`) }))
        refused(yield* send(payload, { "stripe-signature": good.replace("v1=", "v0=") }))
        refused(yield* send(payload, { "stripe-signature": good.replace(/t=\d+,/, "") }))
        refused(yield* send(payload, { "stripe-signature": `t=${seconds()},v1=` }))
        refused(yield* send(payload, { "stripe-signature": "," }))
        assert.strictEqual((yield* send(payload, { "stripe-signature": good })).status, 202)
      })
    )
  })

  describe("with the preset standard-webhooks", () => {
    it.effect("accepts what the library of Standard Webhooks signs, under the id of its message", () =>
      Effect.gen(function* () {
        const { secret, send, triggerOf } = yield* given("standard-webhooks")
        const payload = body("x")
        const { json, status } = yield* send(payload, standardHeaders(payload, secret, "msg_1"))
        assert.strictEqual(status, 202)
        assert.deepStrictEqual(yield* triggerOf(json["run_id"]), { type: "webhook", id: "msg_1" })
        const again = yield* send(payload, standardHeaders(payload, secret, "msg_1"))
        assert.strictEqual(String(again.json["run_id"]), String(json["run_id"]))
        const other = yield* send(payload, standardHeaders(payload, secret, "msg_2"))
        assert.notStrictEqual(String(other.json["run_id"]), String(json["run_id"]))
      })
    )

    it.effect("takes a secret without its prefix, too", () =>
      Effect.gen(function* () {
        const { secret, send } = yield* given("standard-webhooks", "c2VjcmV0c2VjcmV0")
        const payload = body("x")
        assert.strictEqual((yield* send(payload, standardHeaders(payload, secret, "msg_1"))).status, 202)
      })
    )

    it.effect("answers 401 to other secrets, ids, times and signatures of another version", () =>
      Effect.gen(function* () {
        const { secret, send } = yield* given("standard-webhooks")
        const payload = body("x")
        const good = standardHeaders(payload, secret, "msg_1")
        refused(yield* send(payload, {}))
        refused(yield* send(payload, standardHeaders(payload, "whsec_YW5vdGhlcg==", "msg_1")))
        refused(yield* send(payload, { ...good, "webhook-id": "msg_2" }))
        refused(yield* send(payload, standardHeaders(payload, secret, "msg_1", new Date(Date.now() - 310_000))))
        refused(yield* send(payload, standardHeaders(payload, secret, "msg_1", new Date(Date.now() + 310_000))))
        refused(yield* send(payload, { ...good, "webhook-timestamp": "now" }))
        refused(yield* send(payload, { ...good, "webhook-signature": good["webhook-signature"].replace("v1", "v2") }))
        const header = `v1,AAAA ${good["webhook-signature"]}`
        assert.strictEqual((yield* send(payload, { ...good, "webhook-signature": header })).status, 202)
      })
    )
  })

  describe("with the preset github", () => {
    it.effect("accepts the HMAC of the body, and takes the same body for a repetition", () =>
      Effect.gen(function* () {
        const { secret, send, triggerOf } = yield* given("github")
        const payload = body("x")
        const headers = { ...githubHeaders(payload, secret), "x-github-delivery": "1" }
        const { json, status } = yield* send(payload, headers)
        assert.strictEqual(status, 202)
        assert.deepStrictEqual(yield* triggerOf(json["run_id"]), { type: "webhook", id: null })
        const again = yield* send(payload, { ...headers, "x-github-delivery": "2", "idempotency-key": "another" })
        assert.strictEqual(String(again.json["run_id"]), String(json["run_id"]))
      })
    )

    it.effect("accepts a signed form", () =>
      Effect.gen(function* () {
        const { secret, send } = yield* given("github")
        const payload = `payload=${encodeURIComponent(body("x"))}`
        const headers = { ...githubHeaders(payload, secret), "content-type": "application/x-www-form-urlencoded" }
        assert.strictEqual((yield* send(payload, headers)).status, 202)
      })
    )

    it.effect("answers 401 to other secrets, other bodies, the older signature and none", () =>
      Effect.gen(function* () {
        const { secret, send } = yield* given("github")
        const payload = body("x")
        const good = githubHeaders(payload, secret)["x-hub-signature-256"]
        refused(yield* send(payload, {}))
        refused(yield* send(payload, githubHeaders(payload, "another-secret")))
        refused(yield* send(`${payload} `, githubHeaders(payload, secret)))
        refused(yield* send(payload, { "x-hub-signature-256": good.replace("sha256=", "sha1=") }))
        refused(yield* send(payload, { "x-hub-signature-256": good.toUpperCase() }))
        refused(yield* send(payload, { "x-hub-signature-256": good.slice(0, -2) }))
        refused(yield* send(payload, { "x-hub-signature-256": "sha256=" }))
      })
    )
  })
})
