/** The command that triggers a run. */
import type { IdempotencyRequest, WorkspaceCaller } from "@agent-platform/kernel"
import { Result } from "effect"
import { type Agent, type AgentFlawed, type AgentId, AgentNotFound, executable, RecipeUnknown } from "./Agent.ts"
import { type OverrideRefused, overridesFor } from "./acceptance/overridesFor.ts"
import { mismatchIn } from "./jsonSchema.ts"
import type { Given, RunOverrides } from "./ModelSettings.ts"
import type { RunSettings } from "./NewRun.ts"
import type { AgentRunner } from "./ports/AgentRunner.ts"
import { DURATION_SECONDS_DEFAULT, InputSchemaMismatch, type RunTrigger } from "./Run.ts"
import type { ContentPart } from "./RunContent.ts"
import type { IfBusy, SessionId } from "./Session.ts"

/** The settings of a run as far as they are named: `settingsOf` says what the others are. */
type NamedSettings = { readonly [Name in Exclude<keyof RunSettings, "overrides">]?: RunSettings[Name] | undefined }

export interface TriggerRun extends NamedSettings {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId
  /** The settings that it is to have in the place of its agent's. */
  readonly overrides?: Given<RunOverrides> | undefined
  /** Content beside its message; none unless named. */
  readonly content?: ReadonlyArray<ContentPart> | undefined
  /** A new session unless named. */
  readonly sessionId?: SessionId | undefined
  /** The behaviour when the session has an unfinished run; waiting behind it unless named. */
  readonly ifBusy?: IfBusy | undefined
  /** The origin of the run; a call of the API unless named. */
  readonly trigger?: RunTrigger | undefined
  readonly idempotency?: IdempotencyRequest | undefined
}

export const triggerOf = ({ trigger }: TriggerRun): RunTrigger => trigger ?? { type: "api", id: null }

/**
 * The settings of a run, from its command, its agent and the recipes that are registered here. The input is checked in at most
 * `stepsMax` steps.
 */
export const settingsOf = (
  command: TriggerRun,
  agent: Agent | undefined,
  runner: Pick<AgentRunner["Service"], "flawOf" | "recipes">,
  stepsMax?: number
): Result.Result<RunSettings, AgentNotFound | RecipeUnknown | InputSchemaMismatch | OverrideRefused | AgentFlawed> => {
  if (agent === undefined) return Result.fail(new AgentNotFound())
  const recipe = command.recipe ?? agent.recipe
  const possible = executable(agent, runner.recipes)
  if (!possible.includes(recipe)) return Result.fail(new RecipeUnknown({ recipe, possible }))
  const input = command.input ?? null
  const mismatch = mismatchIn(agent.inputSchema, input, stepsMax)
  if (mismatch !== undefined) return Result.fail(new InputSchemaMismatch({ ...mismatch, isMissing: input === null }))
  return Result.map(overridesFor(runner, agent, recipe, command.overrides), (overrides) => ({
    recipe,
    overrides,
    input,
    prompt: command.prompt ?? null,
    metadata: command.metadata ?? {},
    tags: command.tags ?? [],
    priority: command.priority ?? 0,
    runAt: command.runAt ?? null,
    ttlSeconds: command.ttlSeconds ?? null,
    maxDurationSeconds: command.maxDurationSeconds ?? DURATION_SECONDS_DEFAULT,
    // By default a run whose worker is lost fails instead of beginning again.
    maxAttempts: command.maxAttempts ?? 1,
    maxCostUsd: command.maxCostUsd ?? null
  }))
}
