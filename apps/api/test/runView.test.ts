import { runs } from "@agent-platform/contract"
import type { Run } from "@agent-platform/runs"
import { anAgent, aRun, aSession } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { runView } from "../src/views/runView.ts"

const at = (text: string) => DateTime.makeUnsafe(text)

const CASES: ReadonlyArray<{ readonly what: string; readonly is: Partial<Run> }> = [
  { what: "that waits", is: {} },
  {
    what: "that has ended",
    is: {
      status: "succeeded",
      message: "Done “well”\u2028",
      result: { deep: [1, null, { "": "x" }] },
      attempt: 2,
      maxAttempts: 3,
      startedAt: at("2026-11-21T05:15:00Z"),
      finishedAt: at("9999-12-31T23:59:59.999Z"),
      costUsd: "12.500000000000",
      usage: {
        requests: 1,
        inputTokens: 2,
        cacheReadTokens: 3,
        cacheWriteTokens: 4,
        outputTokens: 5,
        reasoningTokens: 6
      }
    }
  },
  {
    what: "that pauses on a question",
    is: { status: "succeeded", paused: true, interrupt: { choices: ["a"] }, interruptTruncated: true, tags: [] }
  },
  {
    what: "that failed",
    is: { status: "failed", error: "No", errorCode: "timed_out", cancelRequestedAt: at("1970-01-01T00:00:00Z") }
  },
  {
    what: "with bounds of its own",
    is: {
      prompt: null,
      runAt: at("2026-11-21T06:15:00Z"),
      expiresAt: at("2026-11-21T06:16:30Z"),
      priority: -7,
      maxDurationSeconds: 60,
      maxCostUsd: "0.250000000000",
      overrides: { stop: ["x"], model: "openai/gpt-5", toolChoice: { name: "f" }, outputSchema: { type: "object" } }
    }
  },
  {
    what: "that answers another",
    is: {
      trigger: { type: "message", id: "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a78" },
      resumesRunId: null,
      metadata: {},
      input: null
    }
  }
]

describe("The view of a run", () => {
  it.for(CASES)("is what the contract's schema makes of one $what", ({ is }) => {
    const agent = anAgent()
    const view = runView(aRun(agent, aSession(agent), is))
    const encoded = Schema.encodeSync(runs.RunView)(
      Schema.decodeUnknownSync(runs.RunView)(view, { onExcessProperty: "error" })
    )
    assert.deepStrictEqual(encoded, view)
    assert.deepStrictEqual(Object.keys(view), Object.keys(encoded), "in the same order")
  })
})
