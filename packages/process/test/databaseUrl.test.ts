import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { read, SettingInvalid, settings } from "@agent-platform/process"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { afterAll } from "vitest"

const readFrom = (url: string) =>
  Effect.provideService(
    read(settings.databaseUrl),
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromEnv({ env: { DATABASE_URL: url } })
  )

const fixture = (name: string) => fileURLToPath(new URL(`../../egress/test/fixtures/${name}`, import.meta.url))
const [CA, CERT, KEY] = ["test-only-ca.pem", "test-only-server.pem", "test-only-server-key.pem"].map(fixture)

const folder = mkdtempSync(join(tmpdir(), "agent-platform-url-"))
const garbage = join(folder, "garbage.pem")
writeFileSync(garbage, "hunter2")
afterAll(() => rmSync(folder, { recursive: true }))

describe("the URL of the database", () => {
  it.effect("is kept as it is, its certificates among it", () =>
    Effect.gen(function* () {
      const url = `postgres://u:p@h1,h2/x?sslmode=verify-ca&sslrootcert=${CA}&sslcert=${CERT}&sslkey=${KEY}`
      assert.strictEqual(Redacted.value(yield* readFrom(url)), url)
    })
  )

  const WRONG: ReadonlyArray<readonly [query: string, why: RegExp]> = [
    ["pgbouncer=true", /^DATABASE_URL has the parameter pgbouncer/],
    [
      `sslmode=verify-full&sslrootcert=${folder}/none.pem`,
      /^DATABASE_URL has sslrootcert, whose file cannot be read \(ENOENT\)/
    ],
    [`sslmode=verify-full&sslrootcert=${folder}`, /^DATABASE_URL has sslrootcert, .* \(EISDIR\)/],
    [
      `sslmode=verify-full&sslrootcert=${garbage}`,
      /^DATABASE_URL has sslrootcert, whose file is not a certificate in PEM/
    ],
    [`sslmode=require&sslcert=${CERT}&sslkey=${garbage}`, /^DATABASE_URL has sslkey, whose file is not a private key/],
    [`sslmode=require&sslcert=${CA}&sslkey=${KEY}`, /^DATABASE_URL has an sslkey that is not that of its sslcert/]
  ]
  for (const [query, why] of WRONG) {
    it.effect(`is refused by the name of the setting with ${query.replaceAll(folder, "…")}`, () =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(readFrom(`postgres://me:hunter2@db/x?${query}`))
        assert.instanceOf(refused, SettingInvalid)
        assert.match(refused.message, why)
        assert.notInclude(refused.message, "hunter2")
      })
    )
  }
})
