/** The two roles of a deployment on the Postgres of the tests: one owns the databases, the apps connect as the other. */
import { createHash } from "node:crypto"
import { DEFAULT_SCHEMA } from "@agent-platform/toolkit"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"

export const OWNER = "agent_platform_test_owner"
export const APP = "agent_platform_test_app"

/** One connection to that database: CREATE DATABASE runs in no transaction, and a session lock needs its session. */
export const connected = <A, E>(url: Redacted.Redacted, use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  PgClient.makeClient({ url, applicationName: "agent-platform-tests" }).pipe(
    Effect.flatMap(use),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )

/** A server of the tests, by a superuser's connection string. */
export interface TestServer {
  readonly superuserUrl: string
}

/** As every process of the tests makes it, so that none changes it under another. */
const passwordOf = ({ superuserUrl }: TestServer) => createHash("sha256").update(superuserUrl).digest("hex")

/** The connection string of one of its databases: the superuser's, or that of one of the two roles. */
export const urlOf = (server: TestServer, database: string, role?: typeof OWNER | typeof APP): Redacted.Redacted => {
  const url = new URL(server.superuserUrl)
  url.pathname = `/${database}`
  if (role !== undefined) {
    url.username = role
    url.password = passwordOf(server)
  }
  return Redacted.make(url.href)
}

/** Makes the roles where they are missing, one process at a time. */
export const makeRoles = (server: TestServer, sql: PgClient.PgClient) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(hashtextextended('agent_platform.test_roles', 0))`
      for (const role of [OWNER, APP]) {
        const [found] = yield* sql`select from pg_roles where rolname = ${role}`
        if (found === undefined) yield* sql.unsafe(`create role ${role} login password '${passwordOf(server)}'`)
      }
    })
  )

/** Makes a database of the owner, in which nobody else makes anything; a copy where a template is given. */
export const makeDatabase = Effect.fnUntraced(function* (sql: PgClient.PgClient, name: string, template?: string) {
  // As files a copy takes 25 ms of processor time, and its way through the write-ahead log 85 ms; dropping it half of 17 ms.
  const from = template === undefined ? "" : ` template ${template} strategy file_copy`
  yield* sql.unsafe(`create database ${name} owner ${OWNER}${from}`)
  // For the statements of tests; those of the platform name their schema.
  yield* sql.unsafe(`alter database ${name} set search_path to ${DEFAULT_SCHEMA}`)
  // A copy has none of the privileges of its template.
  yield* sql.unsafe(`revoke create, temporary on database ${name} from public`)
})
