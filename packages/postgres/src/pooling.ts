/** Finds out whether a pooler between us and Postgres gives a session to other clients between transactions. */
import type { PgConnection } from "@effect/sql-pg"
import { Data, Effect, type Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { UNPREPARED } from "./SessionConnection.ts"
import { makeSessions } from "./sessions.ts"
import { TIMEOUTS } from "./timeouts.ts"

/** The database is reached through a pooler in transaction or statement mode, over which the platform does not work. */
export class DatabasePooled extends Data.TaggedError("DatabasePooled") {
  /** Ends a sentence that begins with the setting of the URL. */
  readonly detail =
    "leads through a pooler that gives a session to others after each transaction (PgBouncer's pool_mode transaction or statement): " +
    "name Postgres itself, or a pooler in session mode, since prepared statements, LISTEN and locks need a session of their own"
  override get message() {
    return `The URL of the database ${this.detail}`
  }
}

const pidOf = (session: PgConnection.PgConnection) =>
  Effect.map(session.query("select pg_backend_pid() as pid", [], UNPREPARED), ({ rows }) => rows[0]?.["pid"])

/** How often the transactions are repeated. */
const ROUNDS = 2

/**
 * Fails unless two sessions are two processes of Postgres, and stay the same through several statements and transactions. The
 * statements come first, because PgBouncer in statement mode answers BEGIN by closing the connection, which looks like a server
 * that is away. The transactions overlap, and end in the reverse order, so that a pooler has to swap processes whether it
 * prefers the one that was used last or longest ago. Opens two connections for it.
 */
export const requireSessions = (url: Redacted.Redacted): Effect.Effect<void, DatabasePooled | SqlError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const config = { maxConnections: 2, applicationName: "agent-platform-probe" }
      const pool = yield* makeSessions(url, config, TIMEOUTS.requests)
      const [one, other] = [yield* pool.reserve, yield* pool.reserve]
      const [ofOne, ofOther] = [yield* pidOf(one), yield* pidOf(other)]
      const again = [yield* pidOf(other), yield* pidOf(one)]
      if (ofOne === ofOther || again[0] !== ofOther || again[1] !== ofOne) return yield* new DatabasePooled()
      for (let round = 0; round < ROUNDS; round++) {
        yield* other.query("begin", [], UNPREPARED)
        // Asked before the next transaction begins, which would wait where the pooler has only one process.
        if ((yield* pidOf(other)) !== ofOther) return yield* new DatabasePooled()
        yield* one.query("begin", [], UNPREPARED)
        if ((yield* pidOf(one)) !== ofOne) return yield* new DatabasePooled()
        yield* one.query("commit", [], UNPREPARED)
        yield* other.query("commit", [], UNPREPARED)
      }
    })
  )
