/** A refusal, as callers of the doors get it. */

/**
 * Whatever a door refuses. `code` is stable and says which refusal it is; `message` says what is wanted and may be shown to
 * the one who asked; `details` are the facts in it, by name.
 */
export class EmbedError<Code extends string = string> extends Error {
  override readonly name = "EmbedError"
  readonly code: Code
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: Code, message: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }
}
