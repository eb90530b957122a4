import {
  endingOf,
  finalEvent,
  isQuestionOpen,
  isTerminal,
  keptData,
  outcomeEvent,
  Run,
  type TurnEnd
} from "@agent-platform/runs"
import { anAgent, aRun, aSession, BUILT_AT } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const at = (seconds: number) => DateTime.add(BUILT_AT, { seconds })
const later = at(7)
const agent = anAgent()
const queued = (override: Partial<Run> = {}) => aRun(agent, aSession(agent), override)
const AGENT = { version: 7, model: null }

const running = (override: Partial<Run> = {}) => Run.begun(queued(override), BUILT_AT, AGENT)

const finished = (run: Run, outcome: TurnEnd, now: DateTime.Utc) => Run.finished(run, endingOf(outcome), now)

describe("the states of a run", () => {
  const outcomes: ReadonlyArray<readonly [string, TurnEnd, Partial<Run>, string]> = [
    [
      "a turn that ends",
      { _tag: "Succeeded", result: { a: 1 }, message: "done" },
      {
        status: "succeeded",
        paused: false,
        result: { a: 1 },
        message: "done"
      },
      "run.succeeded"
    ],
    [
      "a turn that ends on a question",
      { _tag: "Paused", message: "Shall I?", interrupt: { cost: "3.00" } },
      {
        status: "succeeded",
        paused: true,
        message: "Shall I?",
        interrupt: { cost: "3.00" },
        interruptTruncated: false
      },
      "run.paused"
    ],
    [
      "a turn that errs",
      { _tag: "Failed", errorCode: "agent_error", error: "no" },
      {
        status: "failed",
        errorCode: "agent_error",
        error: "no"
      },
      "run.failed"
    ]
  ]
  for (const value of [["a", 1], "text", 3, false]) {
    it(`a question that carries ${JSON.stringify(value)} carries it as the member of an object`, () => {
      const run = finished(running(), { _tag: "Paused", message: "?", interrupt: value }, later)
      assert.deepStrictEqual(run.interrupt, { value })
    })
  }

  for (const [name, outcome, becomes, event] of outcomes) {
    it(`${name} reads ${becomes.status} and reports ${event}`, () => {
      const after = finished(running(), outcome, later)
      assert.deepInclude(after, { ...becomes, finishedAt: later })
      assert.isTrue(isTerminal(after))
      assert.strictEqual(finalEvent(after).type, event)
      assert.strictEqual(outcomeEvent(after).kind.type, event)
    })
  }

  it("counts an attempt when it begins and remembers when it first began", () => {
    const first = Run.begun(queued(), BUILT_AT, AGENT)
    assert.deepInclude(first, { status: "running", attempt: 1, startedAt: BUILT_AT })
    assert.deepInclude(Run.begun(first, later, { version: 8, model: "large" }), {
      attempt: 2,
      startedAt: BUILT_AT,
      agentVersion: 8,
      model: "large"
    })
  })

  it("is queued again when its worker is lost and attempts remain", () => {
    assert.deepInclude(Run.lost(running({ maxAttempts: 2 }), later), { status: "queued", attempt: 1, finishedAt: null })
  })

  it("fails as worker_lost when its worker is lost in the last attempt", () => {
    assert.deepInclude(Run.lost(running(), later), { status: "failed", errorCode: "worker_lost", finishedAt: later })
  })

  it("is executed under another number when it is handed back, which counts against no limit", () => {
    const after = Run.handedBack(running(), later)
    assert.deepInclude(after, { status: "queued", attempt: 1, handBacks: 1 })
    const again = { ...after, status: "running", attempt: 2 } as const
    assert.deepInclude(Run.lost(again, later), { status: "failed", errorCode: "worker_lost" })
    assert.deepInclude(Run.lost({ ...again, maxAttempts: 2 }, later), { status: "queued" })
  })

  it("times out when its agent has not called back, whatever attempts remain", () => {
    const left = running({ maxAttempts: 5, callbackUntil: later })
    assert.deepInclude(Run.lost(left, later), { status: "failed", errorCode: "timed_out", callbackUntil: null })
  })

  it("fails as output_too_large when its result is over 256 KiB, and keeps none of it", () => {
    const after = finished(running(), { _tag: "Succeeded", result: "é".repeat(131_072), message: null }, later)
    assert.deepInclude(after, { status: "failed", errorCode: "output_too_large", result: null })
    const fits = finished(running(), { _tag: "Succeeded", result: "é".repeat(131_071), message: null }, later)
    assert.strictEqual(fits.status, "succeeded")
  })

  it("drops an interrupt over 32 KiB and says so", () => {
    const after = finished(running(), { _tag: "Paused", message: "?", interrupt: "x".repeat(32 * 1024) }, later)
    assert.deepInclude(after, { status: "succeeded", paused: true, interrupt: null, interruptTruncated: true })
  })

  it("fails as output_too_large when its message is over 256 KiB, be it a question or not", () => {
    const message = "é".repeat(131_072)
    for (const outcome of [
      { _tag: "Succeeded", result: null, message },
      { _tag: "Paused", message, interrupt: null }
    ] as const) {
      const after = finished(running(), outcome, later)
      assert.deepInclude(after, { status: "failed", errorCode: "output_too_large", paused: false, message: null })
    }
  })

  it("keeps a short excerpt of an error", () => {
    assert.strictEqual(Run.failed(running(), "agent_error", "x".repeat(900), later).error?.length, 500)
  })

  it("keeps nothing that a database's text refuses", () => {
    const after = finished(
      running(),
      {
        _tag: "Succeeded",
        result: { "a\u0000": ["\u0000", { b: "\uD800" }] },
        message: "\u0000"
      },
      later
    )
    assert.deepStrictEqual(after.result, { "a\uFFFD": ["\uFFFD", { b: "\uFFFD" }] })
    assert.strictEqual(after.message, "\uFFFD")
  })
})

describe("a run whose cancellation was asked for", () => {
  const asked = (override: Partial<Run> = {}) => Run.cancelRequested(running(override), at(3))
  const endings: ReadonlyArray<readonly [string, (run: Run) => Run]> = [
    ["its turn ends", (run) => finished(run, { _tag: "Succeeded", result: 1, message: "done" }, later)],
    ["its turn ends on a question", (run) => finished(run, { _tag: "Paused", message: "?", interrupt: null }, later)],
    ["its turn errs", (run) => finished(run, { _tag: "Failed", errorCode: "agent_error", error: "no" }, later)],
    ["its worker is lost in the last attempt", (run) => Run.lost(run, later)],
    ["its worker is lost and attempts remain", (run) => Run.lost({ ...run, maxAttempts: 5 }, later)],
    ["its worker hands it back", (run) => Run.handedBack(run, later)],
    ["the grace is over", (run) => Run.cancelled(run, later)]
  ]
  for (const [what, ends] of endings) {
    it(`ends cancelled when ${what}, and reports run.cancelled`, () => {
      const after = ends(asked({ costUsd: "1.20" }))
      assert.deepInclude(after, {
        status: "cancelled",
        paused: false,
        result: null,
        error: null,
        attempt: 1,
        costUsd: "1.20",
        cancelRequestedAt: at(3),
        finishedAt: later
      })
      assert.isTrue(isTerminal(after))
      assert.strictEqual(finalEvent(after).type, "run.cancelled")
      assert.strictEqual(outcomeEvent(after).kind.type, "run.cancelled")
    })
  }

  it("keeps the time of the first request", () => {
    const run = asked()
    assert.deepStrictEqual(Run.cancelRequested(run, at(5)), run)
  })
})

describe("the question of a run", () => {
  const paused = finished(running(), { _tag: "Paused", message: "Shall I?", interrupt: null }, later)

  it("is open until it is answered or cancelled", () => {
    assert.isTrue(isQuestionOpen(paused))
    assert.isFalse(isQuestionOpen({ ...paused, resumedByRunId: paused.id }))
    assert.isFalse(isQuestionOpen({ ...paused, questionCancelledAt: later }))
  })

  it("is there on a paused run alone", () => {
    for (const run of [queued(), running(), Run.failed(running(), "agent_error", "no", later)]) {
      assert.isFalse(isQuestionOpen(run))
    }
  })
})

describe("the times of a run", () => {
  it("never go backwards, however the clocks of its machines differ", () => {
    const behind = DateTime.subtract(BUILT_AT, { seconds: 3 })
    assert.deepStrictEqual(
      finished(running(), { _tag: "Succeeded", result: 1, message: null }, behind).finishedAt,
      BUILT_AT
    )
    assert.deepStrictEqual(Run.expired(queued(), behind).finishedAt, BUILT_AT)
  })

  it("end a queued run as expired or cancelled without a beginning", () => {
    assert.deepInclude(Run.expired(queued(), later), { status: "failed", errorCode: "expired", startedAt: null })
    assert.deepInclude(Run.cancelled(queued(), later), { status: "cancelled", startedAt: null, finishedAt: later })
  })
})

describe("the data of a log event", () => {
  it("is kept up to 64 KiB, and beyond that by the beginnings of its texts", () => {
    const fits = { text: "x".repeat(65_000) }
    assert.deepStrictEqual(keptData(fits), { data: fits, bytes: 65_011 })
    const kept = keptData({ text: "é".repeat(40_000), list: [1] })
    const data = { text: "é".repeat(1_000), truncated: true, bytes: 80_022 }
    assert.deepStrictEqual(kept, { data, bytes: 2_042 })
  })
})

describe("the event of an outcome", () => {
  const encode = (run: Run) => {
    const { data, kind } = outcomeEvent(run)
    return Schema.encodeUnknownSync(kind.data)(data) as Record<string, unknown>
  }

  it("carries every field of the spec", () => {
    const given = { metadata: { order: "17" }, tags: ["nightly"], costUsd: "0.001200" }
    const run = finished(running(given), { _tag: "Succeeded", result: 1, message: null }, later)
    assert.deepStrictEqual(encode(run), {
      run_id: run.id,
      session_id: run.sessionId,
      workspace_id: run.workspaceId,
      agent_id: run.agentId,
      recipe: "demo",
      status: "succeeded",
      error: null,
      started_at: "2026-11-21T05:15:00.123Z",
      finished_at: "2026-11-21T05:15:07.123Z",
      paused: false,
      interrupt: null,
      interrupt_truncated: false,
      error_code: null,
      attempt: 1,
      trigger: { type: "api", id: null },
      cost_usd: "0.0012",
      metadata: { order: "17" },
      tags: ["nightly"]
    })
  })

  it("carries the code of a failure, and attempt 0 of a run that never started", () => {
    const expired = Run.failed(queued(), "expired", "too late", later)
    assert.deepInclude(encode(expired), { error: "too late", error_code: "expired", attempt: 0, cost_usd: "0.00" })
  })

  it("carries the question on run.paused and nowhere else", () => {
    const paused = finished(running(), { _tag: "Paused", message: "Shall I?", interrupt: null }, later)
    const plain = { interrupt: null, interrupt_truncated: false }
    assert.deepInclude(encode(paused), { message: "Shall I?", paused: true, status: "succeeded", ...plain })
    const succeeded = finished(running(), { _tag: "Succeeded", result: 1, message: "done" }, later)
    assert.notProperty(encode(succeeded), "message")
  })

  it("carries what a question carries, and null in its place where that is too large", () => {
    const asking = (interrupt: Schema.Json) =>
      encode(finished(running(), { _tag: "Paused", message: "Shall I?", interrupt }, later))
    assert.deepInclude(asking({ amount: 40 }), { interrupt: { amount: 40 }, interrupt_truncated: false })
    assert.deepInclude(asking("x".repeat(32 * 1024)), { interrupt: null, interrupt_truncated: true })
  })

  it("starts when it finishes for a run that never started", () => {
    const expired = Run.failed(queued(), "expired", "too late", later)
    assert.strictEqual(encode(expired).started_at, encode(expired).finished_at)
  })
})
