import {
  approvalOf,
  makeTelling,
  messagesOfRecord,
  type RunEvent,
  type RunEventType,
  TIMELINE_MAX
} from "@agent-platform/runs"
import { anAgent, aRun, aSession, BUILT_AT } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const agent = anAgent()
const session = aSession(agent)
const at = (seconds: number) => DateTime.add(BUILT_AT, { seconds })

const tell = (...events: ReadonlyArray<readonly [RunEventType, string?]>) => {
  const telling = makeTelling()
  const run = aRun(agent, session)
  events.forEach(([type, text], index) => {
    const event: RunEvent = {
      runId: run.id,
      sessionId: session.id,
      seq: index + 1,
      type,
      createdAt: at(index),
      attempt: 1,
      data: text === undefined ? {} : { text }
    }
    telling.add(event)
  })
  return telling.end()
}

const said = (text: string, seconds: number, isComplete = true) => ({
  role: "agent" as const,
  text,
  createdAt: at(seconds),
  isComplete
})

describe("the record of a run", () => {
  it("has the log without the pieces of messages, and the messages", () => {
    const told = tell(
      ["run.queued"],
      ["run.started"],
      ["message.delta", "He"],
      ["message.delta", "llo"],
      ["message.completed", "Hello"],
      ["run.succeeded"]
    )
    assert.deepStrictEqual(
      told.timeline.map(({ seq, type }) => [seq, type]),
      [
        [1, "run.queued"],
        [2, "run.started"],
        [5, "message.completed"],
        [6, "run.succeeded"]
      ]
    )
    assert.deepStrictEqual(told.messages, [said("Hello", 4)])
    assert.isFalse(told.isTimelineCut)
  })

  it("has what was being said when the run failed or began again, as unfinished", () => {
    const told = tell(
      ["run.started"],
      ["message.delta", "One"],
      ["run.retrying"],
      ["run.started"],
      ["message.delta", "Two"],
      ["run.failed"]
    )
    assert.deepStrictEqual(told.messages, [said("One", 1, false), said("Two", 4, false)])
  })

  it("cuts a timeline that is too long, and keeps its end", () => {
    const many = Array.from({ length: TIMELINE_MAX }, () => ["log"] as const)
    const whole = tell(...many.slice(1), ["run.succeeded"])
    assert.deepStrictEqual([whole.timeline.length, whole.isTimelineCut], [TIMELINE_MAX, false])
    const cut = tell(...many, ["run.succeeded"])
    assert.deepStrictEqual([cut.timeline.length, cut.isTimelineCut], [TIMELINE_MAX, true])
    assert.strictEqual(cut.timeline.at(-1)?.type, "run.succeeded")
  })

  it("begins with the prompt and ends with the run's message, which it does not repeat", () => {
    const prompt = { role: "user" as const, text: "Hi", createdAt: BUILT_AT, isComplete: true }
    const run = aRun(agent, session, { prompt: "Hi", message: "Hello", finishedAt: at(9) })
    assert.deepStrictEqual(messagesOfRecord(run, []), [prompt, said("Hello", 9)])
    assert.deepStrictEqual(messagesOfRecord(run, [said("Hello", 4)]), [prompt, said("Hello", 4)])
    assert.deepStrictEqual(messagesOfRecord(run, [said("Hello", 4, false)]), [prompt, said("Hello", 9)])
    assert.deepStrictEqual(messagesOfRecord({ ...run, prompt: null, message: null }, []), [])
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
