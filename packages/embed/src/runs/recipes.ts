/** Recipes of plain functions. */
import { isTooDeep, parseJson } from "@agent-platform/kernel"
import type { Recipe as DomainRecipe, Turn, TurnOutcome } from "@agent-platform/runs"
import { type Context, Effect, Exit, type Schema } from "effect"

/** The answer to a question. */
export interface Answer {
  readonly message: string
  /** Null unless given. */
  readonly data: unknown
}

/** Everything that a recipe gets beside its input. */
export interface RunContext {
  readonly tenant: string
  readonly runId: string
  /** From 1 to `maxAttempts`. */
  readonly attempt: number
  readonly metadata: Readonly<Record<string, string>>
  /** Aborted once nobody waits for the function any more: the run was cancelled, took too long, or asks. */
  readonly signal: AbortSignal
  /** Adds a line to the run's log, with data. Resolves once more can be taken. */
  readonly log: (message: string, data?: object) => Promise<void>
  /**
   * Asks somebody. The run waits, for as long as it takes and in no process; `reply` goes on with it. Then **the function is
   * called again from its beginning**, and here it gets the answer. `details` is shown with the question, and its `schema`, a JSON
   * Schema, is what the data of an answer must have.
   */
  readonly ask: (question: string, details?: object) => Promise<Answer>
  /** The progress of the function, for when it is called again: after a question, and where its process was lost. */
  readonly checkpoint: {
    /** The value that was saved last, when the function was called; undefined in the beginning. */
    readonly state: unknown
    /** Keeps a JSON value of at most 8 MiB in the place of the one before, and resolves once it is committed. */
    readonly save: (state: unknown) => Promise<void>
  }
}

/** A function that does the work of a run. Its result, a JSON value of at most 256 KiB, is the run's. */
export type Recipe = (input: never, context: RunContext) => unknown

/** Functions by their names. */
export type Recipes = Readonly<Record<string, Recipe>>

/** The input of a function. */
export type InputOf<R extends Recipe> = Parameters<R>[0]

/** The checkpoint of an embedded run. A run that goes on with an answer takes it over from the run that asked. */
interface Checkpoint {
  /** The input of the run that was triggered. */
  readonly input: Schema.Json
  /** The answers so far, in the order of their questions. */
  readonly answers: ReadonlyArray<{ readonly message: string; readonly data: Schema.Json }>
  /** The state that the function has saved. */
  readonly state?: Schema.Json
}

/** The answer with which a run goes on. */
export const answerOf = (run: Turn["run"]): Checkpoint["answers"][number] => {
  const { data = null } = (run.input ?? {}) as { readonly data?: Schema.Json }
  return { message: run.prompt ?? "", data }
}

/** The checkpoint that a turn begins with. The casts are safe, since only `save` below writes checkpoints. */
const checkpointOf = Effect.fnUntraced(function* ({ checkpoint, run }: Turn) {
  const own = yield* checkpoint.load
  if (own !== undefined) return own as unknown as Checkpoint
  const asked = (yield* checkpoint.ofQuestion) as unknown as Checkpoint | undefined
  if (asked === undefined) return { input: run.input, answers: [] } satisfies Checkpoint
  return { ...asked, answers: [...asked.answers, answerOf(run)] } satisfies Checkpoint
})

/** The JSON of a value; undefined for a value that has none. */
const jsonIn = (value: unknown): Schema.Json | undefined => {
  try {
    return parseJson(JSON.stringify(value ?? null) ?? "null") as Schema.Json
  } catch {
    // A value that refers to itself, or a BigInt: the caller says so in its own words.
    return undefined
  }
}

const failure = (error: string): TurnOutcome => ({ _tag: "Failed", errorCode: "agent_error", error })

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)) || "It failed"

/** Calls the function once, and ends the execution with its result, its error or its question. */
const callFunction = (recipe: Recipe, turn: Turn, initial: Checkpoint, services: Context.Context<never>) =>
  Effect.callback<TurnOutcome>((resume) => {
    const { run } = turn
    const abort = new AbortController()
    let state = initial.state
    let questions = 0
    let isOver = false
    const writing = new Set<Promise<unknown>>()

    const stop = (why: string) => {
      isOver = true
      abort.abort(new Error(why))
    }
    /** Ends the execution once all that the function writes is written, also what it has not awaited. */
    const end = async (outcome: TurnOutcome, why = "The run has ended") => {
      if (isOver) return
      isOver = true
      await Promise.allSettled(writing)
      stop(why)
      resume(Effect.succeed(outcome))
    }
    /** Runs a write of the function, and remembers it until it is done. */
    const write = async (effect: Effect.Effect<void>): Promise<void> => {
      if (isOver) throw new Error("The run has ended: nothing more can be written")
      const promise = Effect.runPromiseExitWith(services)(effect)
      writing.add(promise)
      const exit = await promise
      writing.delete(promise)
      if (Exit.isFailure(exit)) throw new Error("This execution of the run was stopped: nothing more can be written")
    }
    const save = () =>
      turn.checkpoint.save({
        input: initial.input,
        answers: [...initial.answers],
        ...(state === undefined ? {} : { state })
      } as Schema.Json)

    const context: RunContext = {
      // An embedded agent is named after its tenant (`ensureAgent`).
      tenant: turn.agent.name,
      runId: run.id,
      attempt: run.attempt,
      metadata: { ...run.metadata },
      signal: abort.signal,
      log: async (message, data) => {
        const json = data === undefined ? undefined : jsonIn(data)
        if (typeof message !== "string") throw new TypeError("The message of a line is a text")
        if (data !== undefined && json === undefined) throw new TypeError("The data of a line is JSON")
        await write(turn.emit("log", { message, ...(json === undefined ? {} : { data: json }) }))
      },
      ask: async (question, details) => {
        if (typeof question !== "string" || question === "") throw new TypeError("A question is a text")
        // The function is called from its beginning after each answer, so its first questions are answered already.
        const answer = initial.answers[questions++]
        if (answer !== undefined) return answer
        const interrupt = details === undefined ? null : jsonIn(details)
        if (interrupt === undefined) throw new TypeError("The details of a question are JSON")
        await write(save())
        await end({ _tag: "Paused", message: question, interrupt }, "The run waits for an answer")
        // This call of the function goes no further.
        return new Promise(() => undefined)
      },
      checkpoint: {
        state: initial.state,
        save: async (next) => {
          const json = jsonIn(next)
          if (json === undefined || isTooDeep(json))
            throw new TypeError("What is saved is JSON, nested at most 100 deep")
          state = json
          await write(save())
        }
      }
    }

    const failed = (error: unknown) => {
      Effect.runForkWith(services)(Effect.logWarning(`Run ${run.id} of ${run.recipe} failed: ${wordsOf(error)}`))
      return end(failure(wordsOf(error)))
    }
    Promise.resolve()
      .then(() => recipe(initial.input as never, context))
      .then((result) => {
        const json = jsonIn(result)
        return end(
          json === undefined ? failure("The result is no JSON") : { _tag: "Succeeded", result: json, message: null }
        )
      })
      .catch(failed)
    return Effect.sync(() => stop("The run was stopped"))
  })

/** The recipes of the domain that call these functions. */
export const recipesOf = (recipes: Recipes): ReadonlyArray<DomainRecipe> =>
  Object.entries(recipes).map(([name, recipe]) => ({
    name,
    execute: Effect.fnUntraced(function* (turn: Turn) {
      return yield* callFunction(recipe, turn, yield* checkpointOf(turn), yield* Effect.context<never>())
    })
  }))
