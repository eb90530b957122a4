/** Why runs and deliveries wait, and how fast jobs come on, from what is known about them. */
import { EventId, JobRunId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import type { DeliveryCircumstances, OperatorDelivery, OperatorRun, RunCircumstances } from "@agent-platform/postgres"
import { RunId } from "@agent-platform/runs"
import { EndpointId } from "@agent-platform/webhooks"
import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import { doneOfTotal, itemsPerSecond, secondsLeft } from "../src/rows.ts"
import { deliveryWaiting, runWaiting } from "../src/waiting.ts"

const AT = new Date("2026-11-21T05:15:00.123Z")

const aRun = (override: Partial<OperatorRun>): OperatorRun => ({
  id: anId(RunId),
  organization_id: "",
  workspace_id: "",
  session_id: "",
  agent_id: "",
  recipe: "demo",
  status: "queued",
  paused: false,
  error_code: null,
  trigger: "api",
  priority: 0,
  attempt: 0,
  max_attempts: 1,
  cost_usd: "0",
  created_at: AT,
  run_at: null,
  expires_at: null,
  started_at: null,
  finished_at: null,
  cancel_requested_at: null,
  ...override
})

const FACTS: RunCircumstances = {
  due_in_seconds: -5,
  lease_seconds: null,
  callback_seconds: null,
  ahead_in_session: 0,
  next_in_session: null,
  ahead_in_workspace: 3,
  running_in_workspace: 40,
  running_in_organization: 45,
  running: 50,
  busy_workers: 2,
  worker_sessions: 9,
  cap_usd: null,
  spent_usd: null,
  reserved_usd: null
}

const aDelivery = (override: Partial<OperatorDelivery>): OperatorDelivery => ({
  event_id: anId(EventId),
  endpoint_id: anId(EndpointId),
  organization_id: "",
  workspace_id: null,
  event_type: "run.failed",
  endpoint_host: "example.com",
  endpoint_status: "active",
  state: "pending",
  state_reason: null,
  attempts: 2,
  failures: 2,
  next_attempt_at: AT,
  created_at: AT,
  delivered_at: null,
  ...override
})

const DUE: DeliveryCircumstances = {
  due_in_seconds: -5,
  is_claimed: false,
  ahead_of_endpoint: 1,
  ahead: 10_000,
  worker_sessions: 9
}

describe("why a run waits", () => {
  const cases: ReadonlyArray<readonly [string, Partial<OperatorRun>, Partial<RunCircumstances>, string | undefined]> = [
    [
      "others of its session come first even where its time has not come",
      {},
      { ahead_in_session: 1, due_in_seconds: null },
      "behind_session"
    ],
    ["its time has not come", {}, { due_in_seconds: 60, worker_sessions: 0 }, "scheduled"],
    ["nobody is there to take it", {}, { worker_sessions: 0 }, "no_worker"],
    ["workers take others first", {}, {}, "in_line"],
    ["its worker has it", { status: "running" }, { lease_seconds: 8 }, "executed"],
    [
      "its worker is gone, whatever else holds",
      { status: "running", cancel_requested_at: AT },
      { lease_seconds: -1 },
      "lease_lapsed"
    ],
    ["its agent is to call back", { status: "running" }, { lease_seconds: 700, callback_seconds: 700 }, "callback"],
    [
      "its agent did not call back in time",
      { status: "running" },
      { lease_seconds: -2, callback_seconds: -2 },
      "callback_lapsed"
    ],
    ["it is asked to end", { status: "running", cancel_requested_at: AT }, { lease_seconds: 8 }, "cancelling"],
    [
      "spent and held back reach the cap",
      { status: "running" },
      { lease_seconds: 8, cap_usd: "10", spent_usd: "9.5", reserved_usd: "0.5" },
      "at_cap"
    ],
    [
      "spent and held back stay below the cap",
      { status: "running" },
      { lease_seconds: 8, cap_usd: "10", spent_usd: "9.5", reserved_usd: "0.4" },
      "executed"
    ],
    ["it ended with a question", { status: "succeeded", paused: true }, {}, "question"],
    ["it has ended", { status: "failed" }, {}, undefined]
  ]
  for (const [title, run, facts, reason] of cases) {
    it(title, () => assert.strictEqual(runWaiting(aRun(run), { ...FACTS, ...facts })?.reason, reason))
  }

  it("names how many go first and how many are executed", () => {
    const message = runWaiting(aRun({}), FACTS)?.message ?? ""
    for (const part of [
      "3 of its workspace's runs",
      "50 runs",
      "2 workers",
      "45 of its organization",
      "40 of its workspace"
    ]) {
      assert.include(message, part)
    }
  })
})

describe("why a delivery waits", () => {
  const cases: ReadonlyArray<
    readonly [string, Partial<OperatorDelivery>, Partial<DeliveryCircumstances>, string | undefined]
  > = [
    ["its next attempt is not due", {}, { due_in_seconds: 90 }, "scheduled"],
    ["it is due, and others are before it", {}, {}, "in_line"],
    ["it is due, and nobody is there", {}, { worker_sessions: 0 }, "no_worker"],
    ["a worker attempts it", {}, { is_claimed: true, due_in_seconds: 5 }, "attempted"],
    ["the worker that attempted it is gone", {}, { is_claimed: true }, "claim_lapsed"],
    ["it has arrived", { state: "delivered" }, {}, undefined],
    ["it is dead", { state: "dead" }, {}, undefined]
  ]
  for (const [title, delivery, facts, reason] of cases) {
    it(title, () => assert.strictEqual(deliveryWaiting(aDelivery(delivery), { ...DUE, ...facts })?.reason, reason))
  }

  it("counts one failure as one", () => {
    const after = (failures: number) =>
      deliveryWaiting(aDelivery({ failures }), { ...DUE, due_in_seconds: 45 })?.message
    assert.strictEqual(after(1), "After 1 failure its next attempt is due in 45 s")
    assert.strictEqual(after(2), "After 2 failures its next attempt is due in 45 s")
  })

  it("says where a count stops", () => {
    assert.include(deliveryWaiting(aDelivery({}), DUE)?.message, "10000 or more deliveries")
  })
})

describe("the rate of a job", () => {
  const at = (seconds: number) => DateTime.makeUnsafe(AT.getTime() + seconds * 1_000)
  const run = {
    id: anId(JobRunId),
    name: "runs.prune",
    trigger: "schedule",
    holder: "scheduler",
    status: "running",
    startedAt: at(0),
    finishedAt: null,
    itemsDone: 250,
    itemsTotal: 1_000,
    cursor: null,
    summary: null,
    error: null
  } as const

  it("is by the time until now while it runs, and until its end afterwards", () => {
    assert.strictEqual(itemsPerSecond(run, at(100)), 2.5)
    assert.strictEqual(itemsPerSecond({ ...run, finishedAt: at(10) }, at(100)), 25)
  })

  it("tells how long the rest takes, while it runs and where somebody counted", () => {
    assert.strictEqual(secondsLeft(run, at(100)), 300)
    assert.strictEqual(secondsLeft({ ...run, itemsDone: 1_200 }, at(100)), 0)
    assert.isNull(secondsLeft({ ...run, itemsTotal: null }, at(100)))
    assert.isNull(secondsLeft({ ...run, itemsDone: 0 }, at(100)))
    assert.isNull(secondsLeft({ ...run, status: "lost", finishedAt: at(50) }, at(100)))
    assert.strictEqual(doneOfTotal(run), "250 of 1000")
    assert.strictEqual(doneOfTotal({ ...run, itemsTotal: null }), "250")
  })

  it("is not told before anything is done, or where no time has passed", () => {
    assert.isNull(itemsPerSecond({ ...run, itemsDone: 0 }, at(100)))
    assert.isNull(itemsPerSecond(run, at(0)))
  })
})
