import type { PgConnection } from "@effect/sql-pg"
import { type Cause, Effect, Exit, Fiber } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { SessionConnection } from "./SessionConnection.ts"

/** Most statements in flight; further ones wait for those before them. */
const POSTED_MAX = 64

/** Records a span for a posted statement, as the client itself does for statements that are waited for. */
const recorded = <A, E>(sql: string, asked: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) =>
    fiber.cache.span?.sampled === true
      ? Effect.withSpan(asked, "postgresql", {
          kind: "client",
          attributes: { "db.system.name": "postgresql", "db.query.text": sql }
        })
      : asked
  )

/**
 * The connection of one transaction, used by nothing else meanwhile. Statements are sent without waiting for the answers to
 * those before, so that several cost one round trip. Postgres runs them in order, and after it has refused one it refuses the
 * others, COMMIT included.
 */
export class PipelinedConnection extends SessionConnection {
  readonly #cancel: Effect.Effect<void>
  readonly #close: Effect.Effect<void>
  #begin: Fiber.Fiber<unknown, SqlError> | undefined
  #posted: Array<Fiber.Fiber<unknown, SqlError>> = []
  #refused: Cause.Cause<SqlError> | undefined
  #isAbandoned = false

  /** `cancel` ends what the server does for the connection at this moment, `close` the connection. */
  constructor(
    connection: PgConnection.PgConnection,
    { cancel, close }: Readonly<Record<"cancel" | "close", Effect.Effect<void>>>
  ) {
    super(connection)
    this.#cancel = cancel
    this.#close = close
  }

  /** Sends a statement and does not wait for it. A refusal is seen by `settled`, at the latest. */
  post(sql: string, params: ReadonlyArray<unknown>, prepare = true): Effect.Effect<void, SqlError> {
    const sent = Effect.map(
      Effect.forkDetach(recorded(sql, this.session.query(sql, params, prepare)), { startImmediately: true }),
      (fiber) => {
        this.#begin ??= fiber
        this.#posted.push(fiber)
      }
    )
    return Effect.suspend(() => (this.#posted.length < POSTED_MAX ? sent : Effect.andThen(this.settled, sent)))
  }

  /**
   * Waits for everything that was posted. Once a statement was refused, this fails with that refusal until it is rolled back. The refusal
   * is kept here, because a statement whose values the client could not encode never reached the server.
   */
  readonly settled: Effect.Effect<void, SqlError> = Effect.suspend(() => {
    if (this.#posted.length === 0) return this.#asRefused()
    const posted = this.#posted
    this.#posted = []
    return Effect.flatMap(this.#awaited(Fiber.awaitAll(posted)), (exits) => {
      this.#refused ??= exits.find(Exit.isFailure)?.cause
      return this.#asRefused()
    })
  })

  /**
   * COMMIT, once everything that was posted is known to be done. It is not sent together with them: a prepared statement that the
   * server has forgotten is sent again by the client, and would then run after the COMMIT.
   */
  override commit(): Effect.Effect<void, SqlError> {
    return Effect.andThen(
      Effect.tapCause(this.settled, () => this.rollback),
      super.commit()
    )
  }

  /** ROLLBACK. An abandoned connection is closed, which does the same. */
  readonly rollback: Effect.Effect<void, SqlError> = Effect.suspend(() => {
    this.#posted = []
    return this.#isAbandoned ? Effect.void : Effect.asVoid(this.session.query("ROLLBACK"))
  })

  /** SAVEPOINT; fails where something before it was refused. */
  savepoint(name: string): Effect.Effect<void, SqlError> {
    return Effect.andThen(this.executeRaw(`SAVEPOINT ${name}`, []), this.settled)
  }

  /** ROLLBACK TO SAVEPOINT, whether or not statements after it were refused. */
  rollbackTo(name: string): Effect.Effect<void, SqlError> {
    return Effect.suspend(() => {
      this.#posted = []
      this.#refused = undefined
      return Effect.asVoid(this.executeRaw(`ROLLBACK TO SAVEPOINT ${name}`, []))
    })
  }

  /** Waits for an answer. Where an earlier statement was refused, that is the failure. */
  protected override answer<A>(asked: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> {
    return asked.pipe(
      Effect.catch((error) => Effect.andThen(this.settled, Effect.fail(error))),
      (answered) => this.#awaited(answered)
    )
  }

  #asRefused(): Effect.Effect<void, SqlError> {
    return this.#refused === undefined ? Effect.void : Effect.failCause(this.#refused)
  }

  /** Abandons the connection when its caller is interrupted, because the statement may take any time. */
  #awaited<A, E>(waiting: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.onInterrupt(waiting, () =>
      Effect.suspend(() => {
        this.#isAbandoned = true
        // If BEGIN were cancelled, each statement sent after it would commit by itself.
        const hasBegun = this.#begin?.pollUnsafe()?._tag === "Success"
        return hasBegun ? Effect.andThen(this.#cancel, this.#close) : this.#close
      })
    )
  }
}
