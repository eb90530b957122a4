/** Codes of the operating system and of Postgres for failures that may be over soon. */
const AWAY = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  // The server was shut down, crashed or is starting up; the database was dropped or accepts no connections.
  "57P01",
  "57P02",
  "57P03",
  "57P04",
  // Too many connections; out of memory or disk; a transaction that must be tried again; a server in recovery.
  "53300",
  "53100",
  "53200",
  "40001",
  "40P01",
  "25006",
  // Timeouts of a statement, of waiting for a lock, and of an idle transaction.
  "57014",
  "55P03",
  "25P03",
  // A table or a schema is missing: the migrations have not been run yet.
  "42P01",
  "3F000"
])

/** The SQL client's tags for the same kind of failure, which may come without such a code. */
const AWAY_TAGS = new Set([
  "ConnectionError",
  "LockTimeoutError",
  "StatementTimeoutError",
  "DeadlockError",
  "SerializationError"
])

const DEPTH_MAX = 8

const member = (value: object, name: string): unknown => (value as Record<string, unknown>)[name]

/**
 * Whether a defect means that the database, or the network to it, is away for the moment. Stores turn failures of the database
 * into defects, so this also looks at the errors that a defect wraps.
 */
export const isDatabaseAway = (defect: unknown, depth = 0): boolean => {
  if (typeof defect !== "object" || defect === null || depth > DEPTH_MAX) return false
  const code = member(defect, "code")
  // 08 is the class of failed connections.
  if (typeof code === "string" && (AWAY.has(code) || code.startsWith("08"))) return true
  const tag = member(defect, "_tag")
  if (typeof tag === "string" && AWAY_TAGS.has(tag)) return true
  const errors = member(defect, "errors")
  return [member(defect, "reason"), member(defect, "cause"), ...(Array.isArray(errors) ? errors : [])].some((inner) =>
    isDatabaseAway(inner, depth + 1)
  )
}
