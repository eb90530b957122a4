import { type DatabaseUrl, nameOfHost, parseDatabaseUrl, tlsOptionsOf, unfitness } from "@agent-platform/toolkit"
import { Result } from "effect"
import { assert, describe, it } from "vitest"

const parsed = (url: string): DatabaseUrl => Result.getOrThrowWith(parseDatabaseUrl(url), (detail) => new Error(detail))
const refusal = (url: string): string =>
  Result.match(parseDatabaseUrl(url), { onSuccess: () => "taken", onFailure: (detail) => detail })
const hostsOf = (url: string) => parsed(url).hosts.map(nameOfHost)

describe("the URL of a database", () => {
  it("names a user, a password, a host, a port and a database, each perhaps encoded or missing", () => {
    const whole = parsed("postgresql://me%40home:p%40%2F%3A@db.internal:5433/my%20db")
    assert.deepInclude(whole, { user: "me@home", password: "p@/:", database: "my db" })
    assert.deepStrictEqual(whole.hosts, [{ host: "db.internal", port: 5433 }])
    const least = parsed("postgres://db")
    assert.deepInclude(least, { user: undefined, password: undefined, database: undefined, sessionAttributes: "any" })
    assert.deepStrictEqual(least.hosts, [{ host: "db", port: 5432 }])
    assert.strictEqual(parsed("postgres://me:a:b@db/x").password, "a:b")
    assert.strictEqual(parsed("postgres://me:a@b@db/x").password, "a@b")
    assert.strictEqual(parsed(" postgres://db/x\n").database, "x")
    const query = "user=you&password=%26&dbname=y"
    assert.deepInclude(parsed(`postgres://me:x@db/x?${query}`), { user: "you", password: "&", database: "y" })
  })

  it("names several hosts, which are tried in its order", () => {
    assert.deepStrictEqual(hostsOf("postgres://u:p@h1:5433,h2,[::1]:5434/db"), ["h1:5433", "h2:5432", "[::1]:5434"])
    assert.deepStrictEqual(hostsOf("postgres:///db?host=h1,h2&port=1,2"), ["h1:1", "h2:2"])
    assert.deepStrictEqual(hostsOf("postgres:///db?host=h1,h2&port=6432"), ["h1:6432", "h2:6432"])
    assert.strictEqual(parsed("postgres://h1,h2/db?target_session_attrs=read-write").sessionAttributes, "read-write")
  })

  it("names the folder of a Unix socket, as a parameter or encoded as the host", () => {
    const socket = "/var/run/postgresql/.s.PGSQL"
    assert.deepStrictEqual(hostsOf("postgres:///db?host=/var/run/postgresql"), [`${socket}.5432`])
    assert.deepStrictEqual(hostsOf("postgres://me:p@/db?host=%2Fvar%2Frun%2Fpostgresql&port=5433"), [`${socket}.5433`])
    assert.deepStrictEqual(hostsOf("postgres://me:p@%2Fvar%2Frun%2Fpostgresql:5433/db"), [`${socket}.5433`])
    assert.deepStrictEqual(hostsOf("postgres://%2Fvar%2Frun%2Fpostgresql,h2/db"), [`${socket}.5432`, "h2:5432"])
  })

  it("names the application, settings of the session and how long one host may take", () => {
    const { applicationName, connectSeconds, options } = parsed(
      "postgres://db/x?application_name=mine&options=-c%20work_mem%3D8MB&connect_timeout=7"
    )
    assert.deepStrictEqual([applicationName, options, connectSeconds], ["mine", "-c work_mem=8MB", 7])
    assert.strictEqual(parsed("postgres://h1/x").connectSeconds, 5)
    assert.strictEqual(parsed("postgres://h1,h2/x").connectSeconds, 2)
  })

  const WRONG: ReadonlyArray<readonly [url: string, why: RegExp]> = [
    ["mysql://me:hunter2@db/x", /^is not the URL of a Postgres/],
    ["hunter2", /^is not the URL of a Postgres/],
    ["postgres://me:hunter2@/x", /^names no host/],
    ["postgres:///x", /^names no host.*\?host=/],
    ["postgres://me:hunter2@h1,,h2/x", /^names no host/],
    ["postgres://me:hunter2@h1:70000/x", /^has a port/],
    ["postgres://me:hunter2@h1:0/x", /^has a port/],
    ["postgres://me:hunter2@h1:5x/x", /^has a host that is not host, host:port/],
    ["postgres:///x?host=a,b,c&port=1,2", /^must name one port/],
    ["postgres://me:hun%zzter2@db/x", /^holds a %/],
    ["postgres://me:hun/ter2@db/x", /not encoded/],
    ["postgres://me:hun?ter2@db/x", /not encoded/],
    ["postgres://me:hun#ter2@db/x", /not encoded/],
    ["postgres://me:hunter2@db/x?sslmode=prefer", /^has an sslmode that is none of disable, require, verify-ca/],
    ["postgres://me:hunter2@db/x?sslmode=verify-ca", /without sslrootcert/],
    ["postgres://me:hunter2@db/x?sslrootcert=/ca.pem", /need an sslmode/],
    ["postgres://me:hunter2@db/x?sslmode=require&sslrootcert=system", /needs sslmode=verify-full/],
    ["postgres://me:hunter2@db/x?sslmode=require&sslcert=/c.pem", /sslcert and sslkey both/],
    ["postgres://me:hunter2@db/x?target_session_attrs=prefer-standby", /^has a target_session_attrs/],
    ["postgres://me:hunter2@db/x?connect_timeout=0", /^has a connect_timeout/],
    ["postgres://me:hunter2@db/x?channel_binding=require", /channel_binding/],
    ["postgres://me:hunter2@db/x?pgbouncer=true", /^has the parameter pgbouncer, which is not supported/],
    ["postgres://me:hunter2@db/x?hunter2", /^has a parameter that is not supported/],
    ["postgres://me:hunter2@db/x?port=1&port=2", /^has the parameter port twice/]
  ]
  for (const [url, why] of WRONG) {
    it(`is refused in words that hold nothing secret: ${url}`, () => {
      assert.match(refusal(url), why)
      for (const secret of ["hunter2", "ter2", "hun"]) assert.notInclude(refusal(url), secret)
    })
  }
})

describe("the encryption of a database's connections", () => {
  const optionsOf = (query: string, host = "db") =>
    tlsOptionsOf(parsed(`postgres://db/x?${query}`).tls, host, (p) => `<${p}>`)

  it("is none where it is not asked for, and over Unix sockets", () => {
    assert.isFalse(optionsOf(""))
    assert.isFalse(optionsOf("sslmode=disable"))
    assert.isFalse(optionsOf("sslmode=verify-full", "/tmp"))
  })

  it("looks at the server's certificate as libpq's modes do", () => {
    assert.deepInclude(optionsOf("sslmode=require"), { rejectUnauthorized: false })
    const ca = optionsOf("sslmode=require&sslrootcert=/ca.pem")
    assert.deepInclude(ca, { rejectUnauthorized: true, ca: "</ca.pem>" })
    assert.hasAllKeys(ca, ["rejectUnauthorized", "ca", "checkServerIdentity"])
    assert.hasAllKeys(optionsOf("sslmode=verify-ca&sslrootcert=/ca.pem"), [
      "rejectUnauthorized",
      "ca",
      "checkServerIdentity"
    ])
    assert.deepStrictEqual(optionsOf("sslmode=verify-full&sslrootcert=/ca.pem"), {
      rejectUnauthorized: true,
      ca: "</ca.pem>"
    })
    assert.deepStrictEqual(optionsOf("sslrootcert=system"), { rejectUnauthorized: true })
    assert.deepInclude(optionsOf("sslmode=require&sslcert=/c.pem&sslkey=/k.pem"), { cert: "</c.pem>", key: "</k.pem>" })
  })
})

describe("a server", () => {
  it("fits what a URL asks for", () => {
    const primary = { is_standby: false, is_read_only: false }
    const readOnly = { is_standby: false, is_read_only: true }
    const standby = { is_standby: true, is_read_only: true }
    const taken = (wanted: Parameters<typeof unfitness>[0]) =>
      [primary, readOnly, standby].map((server) => unfitness(wanted, server) === undefined)
    assert.deepStrictEqual(taken("any"), [true, true, true])
    assert.deepStrictEqual(taken("read-write"), [true, false, false])
    assert.deepStrictEqual(taken("read-only"), [false, true, true])
    assert.deepStrictEqual(taken("primary"), [true, true, false])
    assert.deepStrictEqual(taken("standby"), [false, false, true])
  })
})
