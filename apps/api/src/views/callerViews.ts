/** Runs and events as callers see them. A browser key, which every visitor of its page has, shows nothing of costs. */
import { CurrentCaller, type runs } from "@agent-platform/contract"
import { PROVIDER_ERROR_CODES, type Run, type RunEvent, SpendRefused } from "@agent-platform/runs"
import { Effect, type Schema } from "effect"
import { runView } from "./runView.ts"

/** A value without the members of these names, at any depth. */
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

/** The members of a model request that stay, since they say nothing about its price. */
const REQUEST_MEMBERS_SHOWN = new Set([
  "request_id",
  "status",
  "error_code",
  "finish_reason",
  "started_at",
  "duration_ms",
  "time_to_first_token_ms"
])

/** Codes of failures whose texts name what was spent, what is left and what a call can cost. */
const ERRORS_OF_COSTS = new Set<unknown>(SpendRefused.fields.errorCode.literals)

const REFUSED = "A model call was refused"

/** Codes of failures whose texts repeat a provider's words, which may name the provider and its prices. */
const ERRORS_OF_PROVIDERS = new Set<unknown>(PROVIDER_ERROR_CODES)

const PROVIDER_FAILED = "The model's provider refused or failed"

const textWithoutCosts = (errorCode: unknown, error: string | null): string | null =>
  ERRORS_OF_COSTS.has(errorCode) ? REFUSED : ERRORS_OF_PROVIDERS.has(errorCode) ? PROVIDER_FAILED : error

/** The text of a run's failure, without anything about costs. */
export const errorWithoutCosts = ({ error, errorCode }: Pick<Run, "error" | "errorCode">): string | null =>
  textWithoutCosts(errorCode, error)

const ABOUT_PROVIDER = "Something about the model's provider"

/** The data of an event without anything about costs. */
export const withoutCosts = ({ data, type }: Pick<RunEvent, "data" | "type">): RunEvent["data"] => {
  if (type === "llm.request")
    return Object.fromEntries(Object.entries(data).filter(([name]) => REQUEST_MEMBERS_SHOWN.has(name)))
  // The message may repeat the provider's words.
  if (type === "log" && data["about_provider"] === true) return { message: ABOUT_PROVIDER }
  const kept = without(COSTS, data) as RunEvent["data"]
  if (type !== "run.failed") return kept
  const error = textWithoutCosts(data["error_code"], typeof data["error"] === "string" ? data["error"] : null)
  return error === null ? kept : { ...kept, error }
}

const runWithout = (run: Run): typeof runs.RunView.Encoded => ({
  ...runView(run),
  error: errorWithoutCosts(run),
  model: null,
  overrides: null,
  cost_usd: null,
  usage: null,
  max_cost_usd: null
})

const eventWithout = (event: RunEvent): RunEvent => ({ ...event, data: withoutCosts(event) })

/** Functions that show runs and their events to a caller. */
export interface CallerViews {
  readonly run: (run: Run) => typeof runs.RunView.Encoded
  readonly event: (event: RunEvent) => RunEvent
}

const withCosts: CallerViews = { run: runView, event: (event) => event }
const costless: CallerViews = { run: runWithout, event: eventWithout }

/** The functions for the current caller. Only a browser key has `reads`, the run or session that it reads. */
export const callerViews = Effect.map(CurrentCaller, ({ credential }) =>
  credential.type === "session" || credential.reads === null ? withCosts : costless
)
