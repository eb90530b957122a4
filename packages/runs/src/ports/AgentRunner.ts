import { Context, Effect, Layer, type Schema } from "effect"
import type { Agent } from "../Agent.ts"
import type { Run, TurnOutcome } from "../Run.ts"
import type { RunEventType } from "../RunEvent.ts"

/** One turn to execute. */
export interface Turn {
  readonly run: Run
  readonly agent: Agent
  /** Adds an event to the run's log, and waits while too many are unwritten. */
  readonly emit: (type: RunEventType, data: Readonly<Record<string, Schema.Json>>) => Effect.Effect<void>
}

/**
 * A registered program that executes turns. It must be interruptible at any point: a cancelled, timed-out or lost run
 * is interrupted. A defect fails the run as `internal_error`.
 */
export interface Recipe {
  readonly name: string
  readonly execute: (turn: Turn) => Effect.Effect<TurnOutcome>
}

/** The recipes of this deployment. An embedder passes its own beside the built-in ones. */
export class AgentRunner extends Context.Service<
  AgentRunner,
  {
    readonly recipes: ReadonlySet<string>
    /** Executes a turn by its run's recipe; one that is not registered here fails the turn. */
    readonly execute: (turn: Turn) => Effect.Effect<TurnOutcome>
  }
>()("@agent-platform/runs/AgentRunner") {
  static readonly layer = (recipes: ReadonlyArray<Recipe>): Layer.Layer<AgentRunner> =>
    Layer.sync(AgentRunner, () => {
      const byName = new Map(recipes.map((recipe) => [recipe.name, recipe]))
      return {
        recipes: new Set(byName.keys()),
        execute: (turn) =>
          byName.get(turn.run.recipe)?.execute(turn) ??
          Effect.succeed({
            _tag: "Failed",
            errorCode: "internal_error",
            error: `The recipe '${turn.run.recipe}' is not registered in this worker`
          })
      }
    })
}
