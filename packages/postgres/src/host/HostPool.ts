/**
 * A client over the pool of a host, a service that embeds a domain: nothing is set on its sessions, and none is kept but the one that
 * listens.
 */
import { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { Cause, Effect, type Layer, Queue, type Scope, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { makeClient } from "../sessions.ts"
import { failedBy } from "./failures.ts"
import { HOST_TYPES, toHost } from "./values.ts"

interface Answer {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: ReadonlyArray<unknown>
}

interface HostQuery {
  readonly text: string
  readonly values: Array<unknown>
  readonly types: { readonly getTypeParser: (oid: number) => (text: string) => unknown }
  readonly rowMode?: "array"
}

/** The part of a client of `pg` that is used. */
export interface HostSession {
  readonly query: (query: HostQuery) => Promise<Answer>
  readonly release: (broken?: boolean) => void
  on(event: "error" | "end" | "notification", listener: (message: unknown) => void): unknown
  removeListener(event: "error" | "end" | "notification", listener: (message: unknown) => void): unknown
}

/** The part of a `pg.Pool` that is used. */
export interface HostPool {
  readonly connect: () => Promise<HostSession>
}

/** The last statement of each session. The next one waits for it: not all clients take a statement while another is under way. */
const last = new WeakMap<HostSession, Promise<unknown>>()

/** Sessions that have failed to answer. */
const broken = new WeakSet<HostSession>()

const ask = (session: HostSession, query: HostQuery): Effect.Effect<Answer, SqlError> =>
  Effect.suspend(() => {
    const answer = (last.get(session) ?? Promise.resolve()).then(() => session.query(query))
    last.set(
      session,
      answer.catch(() => undefined)
    )
    return Effect.tapError(Effect.tryPromise({ try: () => answer, catch: failedBy("query") }), ({ reason }) =>
      Effect.sync(() => {
        if (reason._tag === "ConnectionError") broken.add(session)
      })
    )
  })

const asked = (session: HostSession, text: string, params: ReadonlyArray<unknown>, rowMode?: "array") =>
  Effect.flatMap(Effect.try({ try: () => toHost(text, params), catch: failedBy("query") }), (query) =>
    ask(session, { ...query, types: HOST_TYPES, ...(rowMode === undefined ? {} : { rowMode }) })
  )

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const listen = (session: HostSession, channel: string) =>
  Effect.gen(function* () {
    const heard = yield* Queue.unbounded<PgConnection.Notification, SqlError>()
    const notified = (message: unknown) => {
      const { channel: of, payload, processId } = message as PgConnection.Notification
      if (of === channel) Queue.offerUnsafe(heard, { channel, payload, processId })
    }
    const lost = (cause: unknown) =>
      Queue.failCauseUnsafe(heard, Cause.fail(failedBy("listen")(cause ?? new Error("The session has ended"))))
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        session.on("notification", notified)
        session.on("error", lost)
        session.on("end", lost)
      }),
      () =>
        Effect.andThen(
          Effect.ignore(asked(session, `unlisten ${quoted(channel)}`, [])),
          Effect.sync(() => {
            session.removeListener("notification", notified)
            session.removeListener("error", lost)
            session.removeListener("end", lost)
          })
        )
    )
    yield* asked(session, `listen ${quoted(channel)}`, [])
    return heard
  })

const sessionOf = (session: HostSession, config: PgPool.Config): PgConnection.PgConnection => {
  const made: PgConnection.PgConnection = {
    [PgConnection.TypeId]: PgConnection.TypeId,
    config,
    processId: 0,
    pin: Effect.suspend(() => Effect.succeed(made)),
    query: (text, params = []) =>
      Effect.map(asked(session, text, params), ({ command, rowCount, rows }) => ({
        command,
        rowCount: rowCount ?? 0,
        oid: null,
        rows: rows as ReadonlyArray<PgConnection.Row>,
        fields: []
      })),
    queryValues: (text, params = []) =>
      Effect.map(asked(session, text, params, "array"), ({ rows }) => rows as ReadonlyArray<ReadonlyArray<unknown>>),
    stream: (text, params = []) =>
      Stream.unwrap(
        Effect.map(asked(session, text, params), ({ rows }) =>
          Stream.fromIterable(rows as ReadonlyArray<PgConnection.Row>)
        )
      ),
    listen: (channel) => listen(session, channel),
    interrupt: Effect.void
  }
  return made
}

/** Sessions of the host's pool. A statement whose caller is interrupted goes on in its session, and the next one there waits for it. */
const poolOver = (host: HostPool): PgPool.PgPool => {
  const config: PgPool.Config = {}
  // A session that breaks while it is lent emits an event as well, which would end the process without a listener.
  const heard = () => undefined
  const lend = Effect.tap(Effect.tryPromise({ try: () => host.connect(), catch: failedBy("connect") }), (session) =>
    Effect.sync(() => session.on("error", heard))
  )
  const giveBack = (session: HostSession) =>
    Effect.sync(() => {
      session.removeListener("error", heard)
      session.release(broken.has(session))
    })
  const get: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope> = Effect.map(
    Effect.acquireRelease(lend, giveBack),
    (session) => sessionOf(session, config)
  )
  return {
    [PgPool.TypeId]: PgPool.TypeId,
    config,
    get,
    reserve: get,
    use: (act) => Effect.scoped(Effect.flatMap(get, act)),
    invalidate: () => Effect.void
  }
}

/** The client over a `pg.Pool`. It has no timeouts but the host's. */
export const layerHostPool = (host: HostPool): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  PgClient.layerFrom(makeClient(poolOver(host)))
