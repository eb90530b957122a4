import {
  AuthorizationError,
  ConnectionError,
  DeadlockError,
  LockTimeoutError,
  SqlError,
  UniqueViolation,
  UnknownError
} from "effect/sql/SqlError"

const hasCode = (cause: unknown): cause is { readonly code: string; readonly constraint?: unknown } =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"

/** A failure of the host's client as SqlError, with the reasons that something here depends on. */
export const failedBy =
  (operation: string) =>
  (cause: unknown): SqlError => {
    const message = cause instanceof Error ? cause.message : String(cause)
    const said = { cause, message, operation }
    const code = hasCode(cause) ? cause.code : undefined
    if (code === "42501") return new SqlError({ reason: new AuthorizationError(said) })
    if (code === "23505") {
      return new SqlError({
        reason: new UniqueViolation({ ...said, constraint: String(hasCode(cause) ? cause.constraint : "") })
      })
    }
    if (code === "40P01") return new SqlError({ reason: new DeadlockError(said) })
    if (code === "55P03") return new SqlError({ reason: new LockTimeoutError(said) })
    // An error with an SQLSTATE is an answer of the database, but for class 08 and 57P, with which a session ends.
    const isUp = code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code)
    return new SqlError({ reason: isUp ? new UnknownError(said) : new ConnectionError(said) })
  }
