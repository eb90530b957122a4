import type { PgConnection } from "@effect/sql-pg"
import { type Cause, Effect, Exit, Fiber } from "effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { SessionConnection } from "./SessionConnection.ts"

/** Most statements that are on their way unawaited: more than these wait for those before them. */
const POSTED_MAX = 64

/** The failure of a COMMIT that Postgres has answered by ROLLBACK. */
export const rolledBack = (): SqlError =>
  new SqlError({
    reason: new UnknownError({
      cause: new Error("COMMIT rolled back an aborted transaction"),
      message: "COMMIT rolled back an aborted transaction",
      operation: "commit"
    })
  })

/**
 * The connection of one transaction, which nobody else uses meanwhile. Statements are sent when they are made, whether or
 * not those before them were answered, so that several cost one round trip. Postgres runs them in their order, and once one
 * of them was refused it refuses the others, COMMIT included.
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

  /** Sends a statement and does not wait for it. That it was refused is learnt at `settled`, at the latest. */
  post(sql: string, params: ReadonlyArray<unknown>, prepare = true): Effect.Effect<void, SqlError> {
    const sent = Effect.map(
      Effect.forkDetach(this.session.query(sql, params, prepare), { startImmediately: true }),
      (fiber) => {
        this.#begin ??= fiber
        this.#posted.push(fiber)
      }
    )
    return Effect.suspend(() => (this.#posted.length < POSTED_MAX ? sent : Effect.andThen(this.settled, sent)))
  }

  /**
   * Waits for everything that was posted; fails with what was refused first, now and until that is rolled back: the client
   * refuses values by itself, of which the server knows nothing.
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
   * COMMIT, once everything that was posted is known to be done. It is not sent with the rest: a statement that the server
   * has forgotten would be sent again by the client, and then stand behind the transaction instead of in it.
   */
  readonly commit: Effect.Effect<void, SqlError> = Effect.suspend(() =>
    Effect.andThen(
      Effect.tapCause(this.settled, () => this.rollback),
      Effect.flatMap(this.session.query("COMMIT"), ({ command }) =>
        command === "ROLLBACK" ? Effect.fail(rolledBack()) : Effect.void
      )
    )
  )

  /** ROLLBACK, whatever became of what was posted. An abandoned connection is closed, which does the same. */
  readonly rollback: Effect.Effect<void, SqlError> = Effect.suspend(() => {
    this.#posted = []
    return this.#isAbandoned ? Effect.void : Effect.asVoid(this.session.query("ROLLBACK"))
  })

  /** Begins a part that can be undone by itself. It fails where something before it was refused. */
  savepoint(name: string): Effect.Effect<void, SqlError> {
    return Effect.andThen(this.executeRaw(`SAVEPOINT ${name}`, []), this.settled)
  }

  /** Undoes what came after the savepoint, whatever became of what was posted since. */
  rollbackTo(name: string): Effect.Effect<void, SqlError> {
    return Effect.suspend(() => {
      this.#posted = []
      this.#refused = undefined
      return Effect.asVoid(this.executeRaw(`ROLLBACK TO SAVEPOINT ${name}`, []))
    })
  }

  /** Waits for an answer. What is posted before it and was refused is the reason why it is refused, too. */
  protected override answer<A>(asked: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> {
    return asked.pipe(
      Effect.catch((error) => Effect.andThen(this.settled, Effect.fail(error))),
      (answered) => this.#awaited(answered)
    )
  }

  #asRefused(): Effect.Effect<void, SqlError> {
    return this.#refused === undefined ? Effect.void : Effect.failCause(this.#refused)
  }

  /** Abandons the connection when whoever waits for it is interrupted: what it does may take any time. */
  #awaited<A, E>(waiting: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.onInterrupt(waiting, () =>
      Effect.suspend(() => {
        this.#isAbandoned = true
        // A BEGIN that is cancelled would leave what was sent behind it to commit by itself.
        const hasBegun = this.#begin?.pollUnsafe()?._tag === "Success"
        return hasBegun ? Effect.andThen(this.#cancel, this.#close) : this.#close
      })
    )
  }
}
