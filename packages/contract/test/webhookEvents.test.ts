import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { unnamedEvents, WebhookEvent, webhookEventOf, webhookEvents } from "../src/index.ts"

const ID = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"

const paused = {
  id: ID,
  type: "run.paused",
  created_at: "2026-11-21T05:15:00.123+00:00",
  data: {
    run_id: ID,
    session_id: ID,
    workspace_id: ID,
    agent_id: ID,
    recipe: "demo",
    status: "succeeded",
    error: null,
    started_at: "2026-11-21T05:15:00.000Z",
    finished_at: "2026-11-21T05:15:00.100Z",
    paused: true,
    interrupt: { amount: 3 },
    interrupt_truncated: false,
    message: "Go on?"
  }
}

describe("the events of endpoints", () => {
  it("are read by their type, with members that a later version adds", () => {
    const event = Schema.decodeUnknownSync(WebhookEvent)({ ...paused, data: { ...paused.data, colour: "red" } })
    assert.strictEqual(event.type, "run.paused")
    if (event.type === "run.paused") assert.strictEqual(event.data.message, "Go on?")
  })

  it("report a provider key that a run found to be refused", () => {
    const data = {
      key_id: ID,
      provider: "openai",
      name: "Production",
      hint: "sk-p…wxyz",
      workspace_id: ID,
      run_id: ID,
      session_id: ID,
      reason: "rejected_by_provider",
      provider_status: 401,
      provider_code: "invalid_api_key",
      detected_at: "2026-11-21T05:15:00.123Z"
    }
    const event = Schema.decodeUnknownSync(WebhookEvent)({ ...paused, type: "credential.revoked", data })
    assert.strictEqual(event.type, "credential.revoked")
    assert.deepStrictEqual(event.data as unknown, data)
  })

  it("are sent without being named for as long as they are the six of the specification, and no others", () => {
    assert.sameMembers(
      [...unnamedEvents],
      ["run.succeeded", "run.paused", "run.failed", "run.cancelled", "credential.revoked", "workspace.cap_reached"]
    )
  })

  it("are refused when their data belongs to another type", () => {
    const { message: _, ...data } = paused.data
    assert.throws(() => Schema.decodeUnknownSync(WebhookEvent)({ ...paused, data }))
  })
})

describe("the samples of events", () => {
  it.each(webhookEvents)("have the data of their kind: $type", (kind) => {
    const { data, sample } = webhookEventOf(kind.type)
    const wire = JSON.parse(JSON.stringify(sample(DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"))))
    Schema.decodeUnknownSync(data as Schema.Codec<unknown, unknown>)(wire)
    assert.strictEqual(data, kind.data)
  })
})
