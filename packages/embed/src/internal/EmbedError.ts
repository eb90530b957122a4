/** A refusal, as callers of the entry points get it. */

/**
 * Whatever an entry point refuses. `code` is stable and says which refusal it is; `message` says what is wanted and may be shown to
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

/** The codes that all entry points have. */
export type CommonErrorCode =
  | "closed"
  | "database_failed"
  | "database_invalid"
  | "input_invalid"
  | "not_migrated"
  | "option_invalid"
  | "schema_ahead"
  | "schema_invalid"
  | "schema_taken"
  | "schema_too_old"
  | "tenant_invalid"

/** The codes of entry points whose calls can be part of a transaction of the host's. */
export type ClientErrorCode = "client_without_database" | "client_without_transaction"

/** Turns an error of the domain into a refusal; undefined for an error that callers should not see as one. */
export type Translate = (error: { readonly _tag: string }) => EmbedError | undefined

/** A refusal in words: its code, its message, and the facts in it. */
export type Refusal<Code extends string> = readonly [
  code: Code,
  message: string,
  details?: Readonly<Record<string, unknown>>
]

/** Makes a translation from a function for each tag of an error. `never`, since each takes the error of its tag alone. */
export const makeTranslate =
  <Code extends string>(words: Readonly<Record<string, (error: never) => Refusal<Code>>>): Translate =>
  (error) => {
    const refusalOf = Object.hasOwn(words, error._tag) ? words[error._tag] : undefined
    if (refusalOf === undefined) return undefined
    const [code, message, details] = refusalOf(error as never)
    return new EmbedError(code, message, details, error)
  }
