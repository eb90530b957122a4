import { assert, describe, it } from "vitest"
import { databaseUrlFlaw } from "../databaseUrlFlaw.ts"
import { readSettings, SettingsError } from "../settings.ts"

const read = (environment: Record<string, string>) => readSettings(environment, "/checkout", databaseUrlFlaw)

const wrong = (environment: Record<string, string>, message: RegExp) =>
  assert.throws(() => read(environment), SettingsError, message)

const EXTERNAL = { DATABASE_URL: "postgres://somewhere/db", SECRETS_KEY: "key" }

describe("the settings of npm start", () => {
  it("have defaults for everything", () => {
    assert.deepStrictEqual(read({}), {
      port: 8080,
      host: "127.0.0.1",
      dataDir: "/checkout/.data",
      baseUrl: "http://127.0.0.1:8080",
      localUrl: "http://127.0.0.1:8080",
      external: undefined,
      secretsKey: undefined,
      demoAgent: "full",
      isLocal: true,
      egressAllowLoopback: "true"
    })
  })

  it("know whether others reach the platform", () => {
    assert.isTrue(read({ HOST: "::1" }).isLocal)
    assert.isTrue(read({ BASE_URL: "http://localhost:8080/" }).isLocal)
    assert.isFalse(read({ HOST: "0.0.0.0" }).isLocal)
    assert.isFalse(read({ BASE_URL: "https://agents.example.com" }).isLocal)
    assert.isFalse(read({ HOST: "0.0.0.0", BASE_URL: "http://127.0.0.1:8080" }).isLocal)
  })

  it("count an empty variable as absent", () => {
    assert.deepStrictEqual(read({ PORT: "", HOST: " ", DATABASE_URL: "", DATA_DIR: "" }), read({}))
  })

  it.each(["0", "65536", "-1", "8080.5", "http", "0x50", "1e3"])("refuse the port %s by name", (port) =>
    wrong({ PORT: port }, /^PORT must be/)
  )

  it("ask for SECRETS_KEY as soon as the database is not ours", () => {
    wrong({ DATABASE_URL: "postgres://somewhere/db" }, /^SECRETS_KEY is missing/)
    const databaseUrl = "postgres://somewhere/db"
    const external = { databaseUrl, databaseOwnerUrl: databaseUrl, secretsKey: "key" }
    assert.deepStrictEqual(read(EXTERNAL).external, external)
    const databaseOwnerUrl = "postgres://owner@somewhere/db"
    assert.deepStrictEqual(read({ ...EXTERNAL, DATABASE_OWNER_URL: databaseOwnerUrl }).external, {
      ...external,
      databaseOwnerUrl
    })
    wrong({ ...EXTERNAL, DATABASE_OWNER_URL: "mysql://host/db" }, /^DATABASE_OWNER_URL is not the URL of a Postgres/)
  })

  it("do not repeat a wrong DATABASE_URL, which may hold a password", () => {
    wrong(
      { DATABASE_URL: "mysql://root:hunter2@host/db", SECRETS_KEY: "key" },
      /^DATABASE_URL is not the URL of a Postgres/
    )
    assert.throws(() => read({ DATABASE_URL: "mysql://root:hunter2@host/db", SECRETS_KEY: "key" }), /^[^2]*$/)
  })

  it("allow egress to loopback only where everything stays on this machine, unless set otherwise", () => {
    assert.strictEqual(read({ HOST: "::1" }).egressAllowLoopback, "true")
    assert.isUndefined(read({ HOST: "0.0.0.0" }).egressAllowLoopback)
    assert.isUndefined(read(EXTERNAL).egressAllowLoopback)
    assert.strictEqual(read({ EGRESS_ALLOW_LOOPBACK: "false" }).egressAllowLoopback, "false")
    assert.strictEqual(read({ ...EXTERNAL, EGRESS_ALLOW_LOOPBACK: "true" }).egressAllowLoopback, "true")
  })

  it("have the demo agent in full, unless set otherwise", () => {
    assert.strictEqual(read(EXTERNAL).demoAgent, "full")
    assert.strictEqual(read({ DEMO_AGENT: "off" }).demoAgent, "off")
  })

  it("give a base URL that can be called, without a slash at its end", () => {
    assert.strictEqual(read({ HOST: "0.0.0.0", PORT: "9" }).baseUrl, "http://127.0.0.1:9")
    assert.strictEqual(read({ HOST: "::" }).baseUrl, "http://[::1]:8080")
    const behindProxy = read({ BASE_URL: "https://agents.example.com/" })
    assert.strictEqual(behindProxy.baseUrl, "https://agents.example.com")
    assert.strictEqual(behindProxy.localUrl, "http://127.0.0.1:8080")
    wrong({ BASE_URL: "agents.example.com" }, /^BASE_URL must be/)
  })
})
