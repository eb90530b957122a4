/** Codes of the operating system and of Postgres that say: not now, perhaps later. */
const AWAY = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  // Shut down by the administrator, crashed, starting up, database dropped or not accepting connections.
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
  // Timeouts: a statement, waiting for a lock, a transaction that was left idle.
  "57014",
  "55P03",
  "25P03",
  // A table or a schema is missing: the migrations have not been run yet.
  "42P01",
  "3F000"
])

/** The SQL layer's tags for a connection that cannot be had, whatever the operating system's reason. */
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
 * Whether a defect means that the database, or the way to it, is away for the moment. Stores turn its failures into
 * defects, so the reason is looked for in what the defect wraps.
 */
export const isDatabaseAway = (defect: unknown, depth = 0): boolean => {
  if (typeof defect !== "object" || defect === null || depth > DEPTH_MAX) return false
  const code = member(defect, "code")
  if (typeof code === "string" && (AWAY.has(code) || code.startsWith("08"))) return true
  const tag = member(defect, "_tag")
  if (typeof tag === "string" && AWAY_TAGS.has(tag)) return true
  const errors = member(defect, "errors")
  return [member(defect, "reason"), member(defect, "cause"), ...(Array.isArray(errors) ? errors : [])].some((inner) =>
    isDatabaseAway(inner, depth + 1)
  )
}
