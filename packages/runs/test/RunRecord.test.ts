import { approvalOf, makeRecordItems, type Run, type RunEvent, type RunEventType } from "@agent-platform/runs"
import { anAgent, aRun, aSession, BUILT_AT } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const agent = anAgent()
const session = aSession(agent)
const at = (seconds: number) => DateTime.add(BUILT_AT, { seconds })

const SILENT = { prompt: null, message: null }

/** The timeline and the messages of a run with such a log. */
const recordOf = (override: Partial<Run>, ...events: ReadonlyArray<readonly [RunEventType, string?]>) => {
  const run = aRun(agent, session, override)
  const record = makeRecordItems(run)
  const logged = events.map(
    ([type, text], index): RunEvent => ({
      runId: run.id,
      sessionId: session.id,
      seq: index + 1,
      type,
      createdAt: at(index),
      attempt: 1,
      data: text === undefined ? {} : { text }
    })
  )
  const items = [...record.begin(), ...logged.flatMap(record.add), ...record.end()]
  return {
    timeline: items.flatMap((one) => (one.type === "entry" ? [one.entry] : [])),
    messages: items.flatMap((one) => (one.type === "message" ? [one.message] : []))
  }
}

const said = (text: string, seconds: number, isComplete = true) => ({
  role: "agent" as const,
  text,
  createdAt: at(seconds),
  isComplete
})

describe("the record of a run", () => {
  it("has the log without the pieces of messages, and the messages", () => {
    const record = recordOf(
      SILENT,
      ["run.queued"],
      ["run.started"],
      ["message.delta", "He"],
      ["message.delta", "llo"],
      ["message.completed", "Hello"],
      ["run.succeeded"]
    )
    assert.deepStrictEqual(
      record.timeline.map(({ seq, type }) => [seq, type]),
      [
        [1, "run.queued"],
        [2, "run.started"],
        [5, "message.completed"],
        [6, "run.succeeded"]
      ]
    )
    assert.deepStrictEqual(record.messages, [said("Hello", 4)])
  })

  it("has what was being said when the run failed or began again, as unfinished", () => {
    const record = recordOf(
      SILENT,
      ["run.started"],
      ["message.delta", "One"],
      ["run.retrying"],
      ["run.started"],
      ["message.delta", "Two"],
      ["run.failed"]
    )
    assert.deepStrictEqual(record.messages, [said("One", 1, false), said("Two", 4, false)])
  })

  it("has no more of an unfinished message than a message can have", () => {
    const pieces = Array.from({ length: 30 }, () => ["message.delta", "x".repeat(10_000)] as const)
    const { messages } = recordOf(SILENT, ...pieces, ["run.failed"])
    assert.deepStrictEqual(
      messages.map(({ isComplete, text }) => [text.length, isComplete]),
      [[256 * 1024, false]]
    )
  })

  it("begins with the prompt and ends with the run's message, which it does not repeat", () => {
    const prompt = { role: "user" as const, text: "Hi", createdAt: BUILT_AT, isComplete: true }
    const run = { prompt: "Hi", message: "Hello", finishedAt: at(9) }
    assert.deepStrictEqual(recordOf(run).messages, [prompt, said("Hello", 9)])
    assert.deepStrictEqual(recordOf(run, ["message.completed", "Hello"]).messages, [prompt, said("Hello", 0)])
    assert.deepStrictEqual(recordOf(run, ["message.delta", "Hello"]).messages, [prompt, said("Hello", 9)])
    assert.deepStrictEqual(recordOf(run, ["message.delta", "Hel"]).messages, [
      prompt,
      said("Hel", 0, false),
      said("Hello", 9)
    ])
    assert.deepStrictEqual(recordOf(SILENT).messages, [])
  })

  it("says of a question whether it is open, cancelled or answered, and how", () => {
    const question = aRun(agent, session, { paused: true, message: "Shall I?", interrupt: { a: 1 }, finishedAt: at(1) })
    const open = approvalOf(question, undefined)
    assert.deepStrictEqual(open, {
      questionRunId: question.id,
      question: "Shall I?",
      interrupt: { a: 1 },
      askedAt: at(1),
      status: "open",
      answer: null
    })
    assert.strictEqual(approvalOf({ ...question, questionCancelledAt: at(2) }, undefined).status, "cancelled")
    const answer = aRun(agent, session, { prompt: "Yes", input: { decision: "approve", data: null }, createdAt: at(3) })
    assert.deepStrictEqual(approvalOf(question, answer), {
      ...open,
      status: "answered",
      answer: { runId: answer.id, message: "Yes", reply: { decision: "approve", data: null }, answeredAt: at(3) }
    })
  })
})
