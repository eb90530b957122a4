import { Context, Effect, Layer, type Schema } from "effect"
import type { Agent } from "../Agent.ts"
import type { ModelSettings } from "../ModelSettings.ts"
import type { Redactor } from "../Redactor.ts"
import { failedTurn, type Run, type TurnOutcome } from "../Run.ts"
import type { RunEventType } from "../RunEvent.ts"

/** The state of a run, so that its next execution goes on from there, or a later run of its session. */
export interface TurnCheckpoint {
  /** The state saved last, by this execution or by an earlier one of the run; undefined when there is none. */
  readonly load: Effect.Effect<Schema.Json | undefined>
  /** The state that the resumed run had saved when it asked its question; undefined when this run resumes none. */
  readonly ofQuestion: Effect.Effect<Schema.Json | undefined>
  /**
   * The state that the session has kept of the last run before this one, of the same agent and recipe, however it ended;
   * undefined when there is none.
   */
  readonly ofSession: Effect.Effect<Schema.Json | undefined>
  /**
   * Saves a state until the run ends, together with the events so far, and returns once both are committed. Where the claim is
   * lost it does not return: the execution is stopped. A state of more than 8 MiB of JSON or 200 levels fails the run.
   */
  readonly save: (state: Schema.Json) => Effect.Effect<void>
  /** As `save`, but the session keeps the state when the run ends, until a later run has replaced it. */
  readonly keep: (state: Schema.Json) => Effect.Effect<void>
}

/** One turn to execute. */
export interface Turn {
  readonly run: Run
  /** With the settings that the run has in the place of its agent's. */
  readonly agent: Agent
  /**
   * Adds an event to the run's log without the secrets in its data, and waits while too much is unwritten. Data that is nested
   * too deep, or more than the log may hold, fails the run.
   */
  readonly emit: (type: RunEventType, data: Readonly<Record<string, Schema.Json>>) => Effect.Effect<void>
  readonly checkpoint: TurnCheckpoint
  /**
   * Redacts the events and the outcome of the turn. It knows the secrets of the agent; a recipe adds those that it takes from
   * elsewhere.
   */
  readonly redactor: Redactor
}

/** The settings that a recipe checks when an agent is created or changed. */
export type RecipeSettings = Pick<
  Agent,
  "model" | "instructions" | "tools" | "mcpServers" | "modelSettings" | "functionTools" | "approvals"
>

/** A fault in one of an agent's settings. */
export interface AgentFlaw {
  /** The setting, and its place in it where it is a list or an object: `["tools", 1]`, `["temperature"]`. */
  readonly path: readonly [
    setting: Exclude<keyof RecipeSettings, "modelSettings"> | keyof ModelSettings,
    ...places: ReadonlyArray<number | string>
  ]
  /** The requirement that is not met, as the end of a sentence that begins with the setting. */
  readonly detail: string
}

/**
 * A registered program that executes turns. It must be interruptible at any point: a cancelled, timed-out or lost run
 * is interrupted. A defect fails the run as `internal_error`.
 */
export interface Recipe {
  readonly name: string
  /** The reason why it cannot execute an agent of these settings; undefined where it can. */
  readonly flawOf?: ((settings: RecipeSettings) => AgentFlaw | undefined) | undefined
  readonly execute: (turn: Turn) => Effect.Effect<TurnOutcome>
}

/** The recipes of this deployment. An embedder passes its own beside the built-in ones. */
export class AgentRunner extends Context.Service<
  AgentRunner,
  {
    readonly recipes: ReadonlySet<string>
    /** The reason why the recipe cannot execute an agent of these settings; undefined where it can. */
    readonly flawOf: (recipe: string, settings: RecipeSettings) => AgentFlaw | undefined
    /** Executes a turn by its run's recipe; one that is not registered here fails the turn. */
    readonly execute: (turn: Turn) => Effect.Effect<TurnOutcome>
  }
>()("@agent-platform/runs/AgentRunner") {
  static readonly layer = (recipes: ReadonlyArray<Recipe>): Layer.Layer<AgentRunner> =>
    Layer.sync(AgentRunner, () => {
      const byName = new Map(recipes.map((recipe) => [recipe.name, recipe]))
      return {
        recipes: new Set(byName.keys()),
        flawOf: (recipe, settings) => byName.get(recipe)?.flawOf?.(settings),
        execute: (turn) =>
          byName.get(turn.run.recipe)?.execute(turn) ??
          Effect.succeed(
            failedTurn("internal_error", `The recipe '${turn.run.recipe}' is not registered in this worker`)
          )
      }
    })
}
