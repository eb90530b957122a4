/**
 * Runs the platform's statements in a transaction that a host has opened, over any client that it has. A host is a service that embeds a
 * domain of the platform.
 */
import { parseJson, Transaction } from "@agent-platform/kernel"
import { DatabaseSchema } from "@agent-platform/toolkit"
import { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Semaphore, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { channelOf, payloads } from "../signalPayloads.ts"
import { answering } from "./answering.ts"
import { failedBy } from "./failures.ts"
import { toTexts } from "./values.ts"

/** Runs a statement whose parameters `$1`, `$2` … are texts or null, in the transaction that the client is in. */
export interface GuestClient {
  readonly query: (text: string, params: Array<string | null>) => PromiseLike<unknown>
}

/** The host's transaction that the fiber is in, with the topics of the signals raised in it; undefined outside of one. */
const Guest = Context.Reference<
  { readonly session: PgConnection.PgConnection; readonly raised: Set<string> } | undefined
>("@agent-platform/postgres/host/Guest", { defaultValue: () => undefined })

/** A connection over the host's session where the fiber is in its transaction, else one of our own. */
export const guestOr = <A, R>(
  own: Effect.Effect<A, SqlError, R>,
  over: (session: PgConnection.PgConnection) => A
): Effect.Effect<A, SqlError, R> =>
  Effect.flatMap(Guest, (guest) => (guest === undefined ? own : Effect.succeed(over(guest.session))))

/** Leaves the topic to `asGuest` where the fiber is in a host's transaction, which is committed later than ours; else does `own`. */
export const raiseAsGuestOr = <E, R>(topic: string, own: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(Guest, (guest) =>
    guest === undefined
      ? own
      : Effect.sync(() => {
          guest.raised.add(topic)
        })
  )

/** A transaction inside of the host's is a savepoint of it: where it fails, only its own writes are undone. */
const SAVEPOINT = "agent_platform_guest"

/** The statements that are sent in the place of those of a transaction. */
const CONTROLS: Readonly<Record<string, ReadonlyArray<string>>> = {
  BEGIN: [`savepoint ${SAVEPOINT}`],
  COMMIT: [`release savepoint ${SAVEPOINT}`],
  ROLLBACK: [`rollback to savepoint ${SAVEPOINT}`, `release savepoint ${SAVEPOINT}`]
}

/** The rows in a client's answer: `answering` makes a statement return all of them as JSON, in one field of one row. */
const rowsIn = (given: unknown): ReadonlyArray<PgConnection.Row> => {
  const rows: unknown = Array.isArray(given) ? given : (given as { readonly rows?: unknown } | undefined)?.rows
  const [row] = Array.isArray(rows) ? rows : []
  const text = (row as { readonly answer?: unknown } | undefined)?.answer
  if (typeof text === "string") return parseJson(text) as ReadonlyArray<PgConnection.Row>
  throw new Error("The client answered no rows: query() answers a list of them, or an object that has them as rows")
}

const sessionOf = (client: GuestClient): PgConnection.PgConnection => {
  // Not all clients take a statement while another is under way.
  const turn = Semaphore.makeUnsafe(1)
  const ask = (text: string, params: ReadonlyArray<unknown>) =>
    turn.withPermit(
      Effect.tryPromise({
        try: async () => {
          // Statements about nested savepoints are sent as they are, without being made to return rows.
          const controls = CONTROLS[text] ?? (/^(savepoint|rollback|release) /i.test(text) ? [text] : undefined)
          if (controls !== undefined) {
            for (const control of controls) await client.query(control, [])
            return []
          }
          const asked = answering(text)
          const given = toTexts(asked ?? text, params)
          const answer = await client.query(given.text, given.values)
          return asked === undefined ? [] : rowsIn(answer)
        },
        catch: failedBy("query")
      })
    )
  const made: PgConnection.PgConnection = {
    [PgConnection.TypeId]: PgConnection.TypeId,
    config: {},
    processId: 0,
    pin: Effect.suspend(() => Effect.succeed(made)),
    query: (text, params = []) =>
      Effect.map(ask(text, params), (rows) => ({ command: text, rowCount: rows.length, oid: null, rows, fields: [] })),
    queryValues: (text, params = []) => Effect.map(ask(text, params), (rows) => rows.map((row) => Object.values(row))),
    stream: (text, params = []) => Stream.unwrap(Effect.map(ask(text, params), Stream.fromIterable)),
    listen: () => Effect.die(new Error("Nobody listens over the session of a host")),
    interrupt: Effect.void
  }
  return made
}

/**
 * Runs an effect in the transaction that the host's client is in: its writes are committed with that one, and a failure
 * undoes them alone. With `notifies` the signals that it raises are sent by that commit, otherwise nobody gets them. Outside of a
 * transaction the database refuses its savepoint.
 */
export const asGuest = <A, E, R>(
  client: GuestClient,
  { notifies }: { readonly notifies: boolean },
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, Exclude<R, Transaction> | SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const channel = channelOf(yield* DatabaseSchema)
    const raised = new Set<string>()
    const notify = Effect.suspend(() =>
      Effect.forEach(
        notifies ? payloads("host", raised) : [],
        (payload) => sql`select pg_notify(${channel}, ${payload})::text as notified`
      )
    )
    return yield* sql
      .withTransaction(Effect.provideService(Effect.tap(effect, notify), Transaction, { id: "guest" }))
      .pipe(Effect.provideService(Guest, { session: sessionOf(client), raised }))
  })
