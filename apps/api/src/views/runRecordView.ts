/** The parts of records on the wire. */
import { records } from "@agent-platform/contract"
import type { Approval, ListedItem, RecordItem, RecordMessage, RunRecord, TimelineEntry } from "@agent-platform/runs"
import { DateTime, type Schema, Struct } from "effect"
import { errorWithoutCosts, withoutCosts } from "./callerViews.ts"
import { runView } from "./runView.ts"

type View = typeof records.RunRecordView.Encoded

/** An entry of the timeline, with costs only if they are wanted. */
const entryView = (
  { attempt, createdAt, data, seq, type }: TimelineEntry,
  includeCost: boolean
): View["timeline"][number] => ({
  attempt,
  created_at: DateTime.formatIso(createdAt),
  data: includeCost ? data : withoutCosts({ data, type }),
  seq,
  type
})

/** A message of the conversation. */
const messageView = ({ createdAt, isComplete, role, text }: RecordMessage): View["messages"][number] => ({
  created_at: DateTime.formatIso(createdAt),
  is_complete: isComplete,
  role,
  text
})

/** An item of one of the long lists. */
export const itemView = (item: RecordItem, includeCost: boolean): ListedItem =>
  item.type === "entry"
    ? { list: "timeline", value: entryView(item.entry, includeCost) as Schema.Json }
    : { list: "messages", value: messageView(item.message) as Schema.Json }

const approvalView = ({ answer, ...asked }: Approval): View["approvals"][number] => ({
  question_run_id: asked.questionRunId,
  question: asked.question,
  interrupt: asked.interrupt,
  asked_at: DateTime.formatIso(asked.askedAt),
  status: asked.status,
  answer: answer && {
    run_id: answer.runId,
    message: answer.message,
    reply: answer.reply,
    answered_at: DateTime.formatIso(answer.answeredAt)
  }
})

type Lists = "timeline" | "timeline_truncated" | "messages" | "messages_truncated" | "redactions" | "integrity"

/** A record without its long lists, and with costs only if they are wanted. */
export const headView = (
  { agent, approvals, run }: RunRecord,
  generatedAt: DateTime.Utc,
  includeCost: boolean
): Omit<View, Lists> => {
  const view = runView(run)
  const costs = includeCost ? { cost_usd: view.cost_usd, usage: view.usage } : {}
  return {
    record_version: 1,
    generated_at: DateTime.formatIso(generatedAt),
    // The prompt is none of these members: it is among the messages, redacted.
    run: {
      ...Struct.pick(view, records.RECORD_RUN_MEMBERS),
      ...costs,
      error: includeCost ? run.error : errorWithoutCosts(run)
    },
    agent: { agent_id: agent.id, name: agent.name },
    approvals: approvals.map(approvalView),
    ...costs
  }
}
