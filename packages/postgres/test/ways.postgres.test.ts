/** Unix sockets, encryption and parameters of the URL, by the client of the apps and by that of the queue. */
import { layerClient } from "@agent-platform/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { PgBoss } from "pg-boss"
import { optionsOf } from "../../pg-boss/src/connection.ts"
import { freshDatabase } from "./support/database.ts"
import { CA_FILE, CERT_FILE, KEY_FILE, startSilent, startSocket, startTls } from "./support/ways.ts"

const STATEMENT = `
  select current_setting('application_name') as application, current_setting('work_mem') as memory,
    current_database() as database
`

interface Seen {
  readonly application: string
  readonly memory: string
  readonly database: string
}

/** Asks by each client. */
const CLIENTS = {
  "the client of the apps": (url: string) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql.unsafe<Seen>(STATEMENT)
      return row
    }).pipe(Effect.provide(layerClient({ url: Redacted.make(url), maxConnections: 1 }))),
  "the queue": (url: string) =>
    Effect.gen(function* () {
      const boss = new PgBoss(yield* optionsOf({ url: Redacted.make(url) }))
      boss.on("error", () => undefined)
      const db = boss.getDb() as unknown as {
        open: () => Promise<void>
        close: () => Promise<void>
        executeSql: (text: string) => Promise<{ readonly rows: ReadonlyArray<Seen> }>
      }
      yield* Effect.promise(() => db.open())
      const { rows } = yield* Effect.promise(() => db.executeSql(STATEMENT)).pipe(
        Effect.ensuring(Effect.promise(() => db.close()))
      )
      return rows[0]
    })
}

const acquired = <A extends { readonly stop: () => Promise<void> }>(start: () => Promise<A>) =>
  Effect.acquireRelease(Effect.promise(start), ({ stop }) => Effect.promise(stop))

const at = (url: string, hosts: string, query = "") => url.replace(new URL(url).host, hosts).concat(query)

describe.each(Object.entries(CLIENTS))("%s", (name, ask) => {
  it.live("goes over a Unix socket, whose folder is a parameter or the host", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshDatabase)
      const { folder } = yield* acquired(() => startSocket(url))
      const database = new URL(url).pathname.slice(1)
      for (const other of [
        at(url, "", `?host=${folder}`),
        at(url, "", `?host=${encodeURIComponent(folder)}&sslmode=require`),
        at(url, encodeURIComponent(folder)),
        at(url, `127.0.0.1:1,${encodeURIComponent(folder)}:5432`)
      ]) {
        assert.strictEqual((yield* ask(other))?.database, database, other)
      }
      assert.isTrue((yield* Effect.exit(ask(at(url, "", `?host=${folder}&port=5433`))))._tag === "Failure")
    }).pipe(Effect.scoped)
  )

  it.live("encrypts as sslmode says, and believes only what that lets it", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshDatabase)
      const { handshakes, port } = yield* acquired(() => startTls(url))
      const works = (host: string, query: string) =>
        Effect.map(Effect.exit(ask(at(url, `${host}:${port}`, `?${query}`))), ({ _tag }) => _tag === "Success")
      const ca = `sslrootcert=${CA_FILE}`
      // The certificate is for localhost, of an authority that nobody else knows.
      assert.isTrue(yield* works("localhost", "sslmode=require"))
      assert.isFalse(yield* works("localhost", "sslmode=disable"))
      assert.isFalse(yield* works("localhost", ""))
      assert.isFalse(yield* works("localhost", "sslmode=verify-full"))
      assert.isFalse(yield* works("localhost", "sslrootcert=system"))
      assert.isTrue(yield* works("localhost", `sslmode=verify-full&${ca}`))
      assert.isTrue(yield* works("localhost", `sslmode=verify-ca&${ca}`))
      assert.isTrue(yield* works("localhost,localhost", `sslmode=verify-full&${ca}`))
      // A name that leads here, too, and is not in the certificate.
      assert.isTrue(yield* works("0.0.0.0", `sslmode=verify-ca&${ca}`))
      assert.isFalse(yield* works("0.0.0.0", `sslmode=verify-full&${ca}`))
      const another = `sslrootcert=${CERT_FILE}`
      assert.isFalse(yield* works("localhost", `sslmode=require&${another}`))
      handshakes.splice(0)
      assert.isTrue(yield* works("localhost", `sslmode=verify-full&${ca}`))
      assert.isTrue(yield* works("localhost", `sslmode=require&sslcert=${CERT_FILE}&sslkey=${KEY_FILE}`))
      assert.includeDeepMembers(handshakes, [
        { servername: "localhost", hasCertificate: false },
        { servername: "localhost", hasCertificate: true }
      ])
      assert.isFalse(
        yield* Effect.map(
          Effect.exit(ask(at(url, new URL(url).host, "?sslmode=require"))),
          ({ _tag }) => _tag === "Success"
        )
      )
    }).pipe(Effect.scoped)
  )

  it.live("leaves a host that does not answer for the next, within the time that it may take", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshDatabase)
      const { host } = yield* acquired(startSilent)
      const [seconds, row] = yield* Effect.timed(ask(at(url, `${host},${new URL(url).host}`, "?connect_timeout=1")))
      assert.strictEqual(row?.database, new URL(url).pathname.slice(1))
      assert.isBelow(Duration.toSeconds(seconds), 4)
    }).pipe(Effect.scoped)
  )

  it.live("has the application and the settings that the URL says", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshDatabase)
      const host = new URL(url).host
      const plain = yield* ask(url)
      assert.strictEqual(plain?.application, name === "the queue" ? "agent-platform-queue" : "agent-platform")
      const set = yield* ask(at(url, host, "?application_name=mine&options=-c%20work_mem%3D12MB"))
      assert.deepInclude(set, { application: "mine", memory: "12MB" })
    })
  )
})
