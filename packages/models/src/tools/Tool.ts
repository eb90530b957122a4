import type { Effect, Schema } from "effect"

/** The outcome of a tool call. */
export interface ToolOutcome {
  readonly isError: boolean
  /** The content for the model. */
  readonly value: Schema.Json
  /** Whether something was cut off. */
  readonly truncated: boolean
}

/** Something that a model may have done for it. */
export interface Tool {
  /** As the model calls it. */
  readonly name: string
  /** The name that it would have if no other tool had that, too. */
  readonly wishedName: string
  /** Which tool it is, whatever it is called: another run may have another tool under its name. */
  readonly origin: string
  readonly description: string
  /** A JSON schema of an object. */
  readonly inputSchema: Schema.JsonObject
  /** Makes a call, known by an id of the turn. A failure is an outcome for the model, too. */
  readonly call: (input: Schema.JsonObject, toolCallId: string) => Effect.Effect<ToolOutcome>
}

/** Most characters of text of one result that a model gets. */
export const RESULT_LENGTH_MAX = 64 * 1024

/** A call that failed, in a sentence for the model. */
export const toolFailure = (message: string): ToolOutcome => ({ isError: true, value: message, truncated: false })

/** A text, cut off where it is too long, and whether it was. */
export const cut = (
  text: string,
  lengthMax = RESULT_LENGTH_MAX
): { readonly text: string; readonly truncated: boolean } =>
  text.length <= lengthMax
    ? { text, truncated: false }
    : { text: text.slice(0, lengthMax).toWellFormed(), truncated: true }
