/** The command that triggers a run. */
import type { IdempotencyRequest, WorkspaceCaller } from "@agent-platform/kernel"
import { type DateTime, Result, type Schema } from "effect"
import { type Agent, type AgentId, AgentNotFound, offers, RecipeUnknown } from "./Agent.ts"
import { mismatchOf } from "./jsonSchema.ts"
import type { RunSettings } from "./NewRun.ts"
import { DURATION_SECONDS_DEFAULT, InputSchemaMismatch, type RunTrigger } from "./Run.ts"
import type { IfBusy, SessionId } from "./Session.ts"

export interface TriggerRun {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId
  /** The agent's own unless named. */
  readonly recipe?: string | undefined
  /** A new session unless named. */
  readonly sessionId?: SessionId | undefined
  /** The caller's message to the agent. */
  readonly prompt?: string | null | undefined
  readonly input?: Schema.Json | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  /** Of the workspace's runs that are due, a higher priority goes first; 0 unless named. */
  readonly priority?: number | undefined
  readonly runAt?: DateTime.Utc | null | undefined
  /** Failed as `expired` if it has not begun so long after it could have. */
  readonly ttlSeconds?: number | null | undefined
  /** An hour unless named. */
  readonly maxDurationSeconds?: number | undefined
  /** 1 unless named: a run whose worker is lost is not begun again. */
  readonly maxAttempts?: number | undefined
  /** In USD, as a decimal. */
  readonly maxCostUsd?: string | null | undefined
  /** The behaviour when the session has an unfinished run; waiting behind it unless named. */
  readonly ifBusy?: IfBusy | undefined
  /** The origin of the run; a call of the API unless named. */
  readonly trigger?: RunTrigger | undefined
  readonly idempotency?: IdempotencyRequest | undefined
}

export const triggerOf = ({ trigger }: TriggerRun): RunTrigger => trigger ?? { type: "api", id: null }

/**
 * The settings of a run by the agent that it names and the recipes that are registered here. The input is checked in at most
 * `stepsMax` steps.
 */
export const settingsOf = (
  command: TriggerRun,
  agent: Agent | undefined,
  recipes: { readonly has: (recipe: string) => boolean },
  stepsMax?: number
): Result.Result<RunSettings, AgentNotFound | RecipeUnknown | InputSchemaMismatch> => {
  if (agent === undefined) return Result.fail(new AgentNotFound())
  const recipe = command.recipe ?? agent.recipe
  if (!offers(agent, recipe) || !recipes.has(recipe)) return Result.fail(new RecipeUnknown({ recipe }))
  const input = command.input ?? null
  const mismatch = mismatchOf(agent.inputSchema, input, stepsMax)
  if (mismatch !== undefined) return Result.fail(new InputSchemaMismatch({ detail: mismatch }))
  return Result.succeed({
    recipe,
    input,
    prompt: command.prompt ?? null,
    metadata: command.metadata ?? {},
    tags: command.tags ?? [],
    priority: command.priority ?? 0,
    runAt: command.runAt ?? null,
    ttlSeconds: command.ttlSeconds ?? null,
    maxDurationSeconds: command.maxDurationSeconds ?? DURATION_SECONDS_DEFAULT,
    maxAttempts: command.maxAttempts ?? 1,
    maxCostUsd: command.maxCostUsd ?? null
  })
}
