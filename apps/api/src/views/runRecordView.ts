import { records as contract } from "@agent-platform/contract"
import type { Integrity, Redaction, RunRecord } from "@agent-platform/runs"
import { type DateTime, Schema } from "effect"
import { runView } from "./runView.ts"

/** A piece of JSON, as records are made of. */
export type RecordJson = { readonly [name: string]: Schema.Json }

const encode = Schema.encodeSync(Schema.toCodecJson(contract.RunRecordContent))

/** A value without its members of these names, at any depth. */
const without = (names: ReadonlySet<string>, value: Schema.Json): Schema.Json => {
  if (Array.isArray(value)) return value.map((item) => without(names, item))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !names.has(name))
      .map(([name, member]) => [name, without(names, member)])
  )
}

const COSTS = new Set(["cost_usd", "usage"])

/** What a record says, as the contract shows it; without anything about costs if that is not wanted. */
export const runRecordContent = (record: RunRecord, generatedAt: DateTime.Utc, includeCost: boolean): RecordJson => {
  const run = runView(record.run)
  const content = encode({
    recordVersion: 1,
    generatedAt,
    run,
    agent: { agentId: record.agent.id, name: record.agent.name },
    timeline: record.timeline,
    timelineTruncated: record.isTimelineCut,
    messages: record.messages,
    approvals: record.approvals,
    usage: run.usage,
    costUsd: run.costUsd
  }) as unknown as RecordJson
  if (includeCost) return content
  const { cost_usd, run: shown, timeline, usage, ...others } = content
  const { cost_usd: runCost, usage: runUsage, ...rest } = shown as RecordJson
  return { ...others, run: rest, timeline: without(COSTS, timeline ?? []) }
}

/** The record with what was blacked out in it. */
export const withRedactions = (content: RecordJson, redactions: ReadonlyArray<Redaction>): RecordJson => ({
  ...content,
  redactions: redactions.map(({ count, kind, pointer }) => ({ pointer, kind, count }))
})

/** The record with its signature. */
export const withIntegrity = (record: RecordJson, { algorithm, keyId, sha256, signature }: Integrity): RecordJson => ({
  ...record,
  integrity: { algorithm, sha256, signature, key_id: keyId }
})
