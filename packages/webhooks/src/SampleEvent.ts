/** Made-up events for trying an endpoint out: what each kind looks like, under ids that belong to nothing. */
import { DateTime, Schema } from "effect"

/** The kinds of events that there is a sample of. */
export const SampleEventType = Schema.Literals([
  "run.succeeded",
  "run.paused",
  "run.failed",
  "run.cancelled",
  "credential.revoked",
  "workspace.cap_reached"
])
export type SampleEventType = typeof SampleEventType.Type

/** The id of everything that a sample names: there is nothing under it. */
const NOBODY = "00000000-0000-7000-8000-000000000000"

const runData = (at: DateTime.Utc) => ({
  run_id: NOBODY,
  session_id: NOBODY,
  workspace_id: NOBODY,
  agent_id: NOBODY,
  recipe: "demo",
  status: "succeeded",
  error: null,
  started_at: DateTime.formatIso(at),
  finished_at: DateTime.formatIso(at),
  paused: false,
  interrupt: null,
  interrupt_truncated: false
})

const credentialData = (at: DateTime.Utc) => ({
  key_id: NOBODY,
  provider: "openai",
  name: "Sample key",
  hint: "sk-…0000",
  workspace_id: NOBODY,
  run_id: NOBODY,
  session_id: NOBODY,
  reason: "rejected_by_provider",
  provider_status: 401,
  provider_code: "invalid_api_key",
  detected_at: DateTime.formatIso(at)
})

const capData = (at: DateTime.Utc) => {
  const start = DateTime.startOf(at, "month")
  return {
    workspace_id: NOBODY,
    period: DateTime.formatIso(start).slice(0, 7),
    period_start: DateTime.formatIso(start),
    period_end: DateTime.formatIso(DateTime.add(start, { months: 1 })),
    cap_usd: "100.00",
    spent_usd: "100.00",
    reserved_usd: "0.00",
    currency: "USD",
    run_id: NOBODY,
    reached_at: DateTime.formatIso(at)
  }
}

const dataOf = (type: SampleEventType, at: DateTime.Utc): object => {
  switch (type) {
    case "run.succeeded":
      return runData(at)
    case "run.paused":
      return { ...runData(at), paused: true, message: "Shall I go on?" }
    case "run.failed":
      return { ...runData(at), status: "failed", error: "This is a test" }
    case "run.cancelled":
      return { ...runData(at), status: "cancelled" }
    case "credential.revoked":
      return credentialData(at)
    case "workspace.cap_reached":
      return capData(at)
  }
}

/** The data of a sample: all that an event of this kind has, and `test: true`. */
export const sampleData = (type: SampleEventType, at: DateTime.Utc): object => ({ ...dataOf(type, at), test: true })
