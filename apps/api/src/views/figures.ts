/** Runs and events as a caller is shown them: a browser key, which everybody has who sees its page, shows nothing of costs. */
import { CurrentCaller, type runs } from "@agent-platform/contract"
import type { Run, RunEvent } from "@agent-platform/runs"
import { Effect } from "effect"
import { runView } from "./runView.ts"

/** The members of a model call's event that say what it cost, or who paid. */
const FIGURES: ReadonlySet<string> = new Set([
  "cost_usd",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "usage_source",
  "key_source",
  "key_id"
])

const runWithout = (run: Run): typeof runs.RunView.Encoded => ({
  ...runView(run),
  cost_usd: null,
  usage: null,
  max_cost_usd: null
})

const eventWithout = (event: RunEvent): RunEvent =>
  event.type === "llm.request"
    ? { ...event, data: Object.fromEntries(Object.entries(event.data).filter(([name]) => !FIGURES.has(name))) }
    : event

const whole: Figures = { run: runView, event: (event) => event }
const withheld: Figures = { run: runWithout, event: eventWithout }

/** How runs and their events are shown. */
export interface Figures {
  readonly run: (run: Run) => typeof runs.RunView.Encoded
  readonly event: (event: RunEvent) => RunEvent
}

/** How they are shown to the current caller. */
export const shownFigures = Effect.map(CurrentCaller, ({ credential }) =>
  credential.type === "session" || credential.reads === null ? whole : withheld
)
