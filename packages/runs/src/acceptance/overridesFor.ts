import { Result, Schema, String as Text } from "effect"
import { Agent, AgentFlawed } from "../Agent.ts"
import { type Given, OVERRIDABLE, type Overridable, type RunOverrides, withGiven } from "../ModelSettings.ts"
import type { AgentRunner } from "../ports/AgentRunner.ts"

/** A run gives itself a setting that its agent does not leave to its runs. */
export class OverrideRefused extends Schema.TaggedError<OverrideRefused>()("OverrideRefused", {
  setting: Schema.Literals(OVERRIDABLE),
  /** Those that it may have. */
  overridable: Schema.Array(Schema.Literals(OVERRIDABLE))
}) {}

/** The settings of the run before that the agent still leaves to its runs; null where there are none. */
const stillAllowed = ({ overridable }: Agent, before: RunOverrides | null): RunOverrides | null => {
  const kept = Object.entries(before ?? {}).filter(([name]) => overridable.includes(name as Overridable))
  return kept.length === 0 ? null : (Object.fromEntries(kept) as RunOverrides)
}

/**
 * The settings that a run has in the place of its agent's: the given ones, and those of the run `before` it that the agent still leaves
 * to its runs. Fails with OverrideRefused where the agent does not leave a given one to its runs, and with AgentFlawed where the recipe
 * cannot work with the result. Without given ones the recipe is not asked: a reply that names no settings must not be refused
 * because its agent has changed.
 */
export const overridesFor = (
  runner: Pick<AgentRunner["Service"], "flawOf">,
  agent: Agent,
  recipe: string,
  given: Given<RunOverrides> = {},
  before: RunOverrides | null = null
): Result.Result<RunOverrides | null, OverrideRefused | AgentFlawed> => {
  const names = (Object.keys(given) as Array<Overridable>).filter((name) => given[name] != null)
  const kept = stillAllowed(agent, before)
  if (names.length === 0) return Result.succeed(kept)
  const { overridable } = agent
  const refused = names.find((name) => !overridable.includes(name))
  if (refused !== undefined) return Result.fail(new OverrideRefused({ setting: refused, overridable }))
  const overrides = withGiven<RunOverrides>(kept ?? {}, Object.fromEntries(names.map((name) => [name, given[name]])))
  const flaw = runner.flawOf(recipe, Agent.overridden(agent, overrides))
  if (flaw === undefined) return Result.succeed(overrides)
  const [setting] = flaw.path
  if (names.some((name) => name === setting)) return Result.fail(new AgentFlawed(flaw))
  // The setting at fault is the agent's own, which does not go with what the run has.
  const detail = `does not go with the agent: its ${Text.camelToSnake(setting)} ${flaw.detail}`
  return Result.fail(new AgentFlawed({ path: [names[0] ?? setting], detail }))
}
