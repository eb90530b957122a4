import { once } from "node:events"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { databaseToCopy, runs, type Staged, stagePlatform, until } from "./stage.ts"

const copyOfDatabase = databaseToCopy()

const credentialsFile = (dataDir: string): string => join(dataDir, "credentials.json")

const readCredentials = (dataDir: string): Record<string, string> =>
  JSON.parse(readFileSync(credentialsFile(dataDir), "utf8")) as Record<string, string>

const pidsIn = (record: ReadonlyArray<string>, name: string): ReadonlyArray<number> =>
  record.filter((line) => line.startsWith(`${name} pid `)).map((line) => Number(line.split(" ")[2]))

const postgresPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0])

const stop = async ({ child, exit }: Staged, signal: NodeJS.Signals = "SIGTERM") => {
  child.kill(signal)
  return exit
}

/** For what has nothing to do with Postgres: the stand-ins never connect. */
const WITHOUT_POSTGRES = { DATABASE_URL: "postgres://127.0.0.1:1/none", SECRETS_KEY: "unused" }

describe("npm start", () => {
  it("drains the apps on SIGTERM, stops Postgres after them and ends with 0", async () => {
    const platform = await stagePlatform()
    await platform.ready()
    const postgres = postgresPid(platform.dataDir)
    assert.strictEqual(await stop(platform), 0)
    assert.includeMembers(
      [...platform.record()],
      [
        "prepare new",
        "api flags --max-semi-space-size=7",
        "api connects as agent_platform, owner undefined",
        "api ready",
        "worker ready",
        "api drained",
        "worker drained"
      ]
    )
    assert.isFalse(runs(postgres))
    assert.isFalse(existsSync(join(platform.dataDir, "start.lock")))
    const log = readFileSync(join(platform.dataDir, "postgres.log"), "utf8")
    assert.include(log, "database system is shut down")
  })

  it("takes the same Ctrl-C from the terminal, npm and the launcher for one", async () => {
    const platform = await stagePlatform(WITHOUT_POSTGRES)
    await platform.ready()
    for (const signal of ["SIGINT", "SIGINT", "SIGTERM"] as const) platform.child.kill(signal)
    assert.strictEqual(await platform.exit, 0)
    assert.includeMembers([...platform.record()], ["api drained", "worker drained"])
  })

  it("kills what does not end at a second signal", async () => {
    const platform = await stagePlatform({ DATA_DIR: copyOfDatabase(), FIXTURE_WORKER: "stay" })
    await platform.ready()
    const postgres = postgresPid(platform.dataDir)
    platform.child.kill("SIGINT")
    await until(() => platform.record().includes("worker asked to stop"))
    // Signals within a second of the first count as the same one.
    await until(() => platform.child.kill("SIGINT") && platform.err().includes("killing everything"))
    assert.strictEqual(await platform.exit, 1)
    // Whom a signal has killed may be there for a moment longer.
    await until(() => [postgres, ...pidsIn(platform.record(), "worker")].every((pid) => !runs(pid)))
  })

  it("writes the credentials before it says that it is ready, for their owner alone, and prints no key", async () => {
    const platform = await stagePlatform({ DATA_DIR: copyOfDatabase() })
    await platform.ready()
    assert.strictEqual(statSync(credentialsFile(platform.dataDir)).mode & 0o777, 0o600)
    const {
      database_owner_url: ownerUrl = "",
      database_url: databaseUrl = "",
      ...rest
    } = readCredentials(platform.dataDir)
    assert.match(databaseUrl, /^postgres:\/\/agent_platform:[\w-]{32}@127\.0\.0\.1:\d+\/postgres$/)
    assert.match(ownerUrl, /^postgres:\/\/agent_platform_owner:[\w-]{32}@127\.0\.0\.1:\d+\/postgres$/)
    assert.deepStrictEqual(rest, {
      base_url: `http://127.0.0.1:${platform.port}`,
      organization_id: "organization",
      org_key: "org key",
      workspace_id: "workspace",
      workspace_key: "workspace key",
      agent_id: "agent"
    })
    assert.notInclude(platform.out() + platform.err(), "workspace key")
    for (const url of [databaseUrl, ownerUrl]) {
      assert.notInclude(platform.out() + platform.err(), new URL(url).password)
    }
    assert.strictEqual(statSync(join(platform.dataDir, "secrets.key")).mode & 0o777, 0o600)
  })

  it("carries keys over from start to start, and makes them anew when the file cannot be read", async () => {
    const first = await stagePlatform({ DATA_DIR: copyOfDatabase() })
    await first.ready()
    await stop(first)
    const kept = { ...readCredentials(first.dataDir), workspace_key: "another key", base_url: "http://old" }
    writeFileSync(credentialsFile(first.dataDir), JSON.stringify(kept))
    const second = await stagePlatform({ DATA_DIR: first.dataDir })
    await second.ready()
    await stop(second)
    assert.include(second.record(), "prepare known")
    assert.strictEqual(readCredentials(first.dataDir).workspace_key, "another key")
    assert.strictEqual(readCredentials(first.dataDir).base_url, `http://127.0.0.1:${second.port}`)
    writeFileSync(credentialsFile(first.dataDir), "{ cut of")
    const third = await stagePlatform({ DATA_DIR: first.dataDir })
    await third.ready()
    assert.deepStrictEqual(
      third.record().filter((line) => line.startsWith("prepare")),
      ["prepare new", "prepare known", "prepare new"]
    )
  })

  it("recovers after it was killed, apps and Postgres left running included", async () => {
    const killed = await stagePlatform({ DATA_DIR: copyOfDatabase(), FIXTURE_WORKER: "stay" })
    await killed.ready()
    const postgres = postgresPid(killed.dataDir)
    const [worker = 0] = pidsIn(killed.record(), "worker")
    killed.child.kill("SIGKILL")
    await once(killed.child, "exit")
    await until(() => killed.record().includes("worker asked to stop"))
    for (const pid of [postgres, worker]) assert.isTrue(runs(pid), String(pid))
    const next = await stagePlatform({ DATA_DIR: killed.dataDir, PORT: String(killed.port) })
    await next.ready()
    for (const pid of [postgres, worker]) assert.isFalse(runs(pid), String(pid))
    assert.include(next.err(), `process ${worker} was left running by a start that was killed; killing it`)
    assert.include(next.record(), "prepare known")
  })

  it("takes its apps along when it is killed itself", async () => {
    const platform = await stagePlatform(WITHOUT_POSTGRES)
    await platform.ready()
    const apps = [...pidsIn(platform.record(), "api"), ...pidsIn(platform.record(), "worker")]
    await stop(platform, "SIGKILL")
    await until(() => apps.every((pid) => !runs(pid)))
    assert.includeMembers([...platform.record()], ["api drained", "worker drained"])
  })

  it("starts an app that dies again", async () => {
    const platform = await stagePlatform(WITHOUT_POSTGRES)
    await platform.ready()
    const [first = 0] = pidsIn(platform.record(), "worker")
    process.kill(first, "SIGKILL")
    const second = await until(() => pidsIn(platform.record(), "worker")[1])
    await until(() => platform.record().filter((line) => line === "worker ready").length === 2)
    assert.isTrue(runs(second))
    assert.include(platform.err(), "the worker ended without being asked to (SIGKILL)")
  })

  it("names the process that already runs on its DATA_DIR", async () => {
    const first = await stagePlatform(WITHOUT_POSTGRES)
    await first.ready()
    const second = await stagePlatform({ ...WITHOUT_POSTGRES, DATA_DIR: first.dataDir })
    assert.strictEqual(await second.exit, 1)
    assert.include(second.err(), `is in use by another npm start, process ${first.child.pid}`)
    assert.isTrue(runs(first.child.pid))
  })
})

describe("npm start with DATABASE_URL", () => {
  it("embeds no Postgres and names the given one in the credentials", async () => {
    const DATABASE_OWNER_URL = "postgres://owner@127.0.0.1:1/none"
    const platform = await stagePlatform({ ...WITHOUT_POSTGRES, DATABASE_OWNER_URL })
    await platform.ready()
    assert.deepInclude(readCredentials(platform.dataDir), {
      database_url: WITHOUT_POSTGRES.DATABASE_URL,
      database_owner_url: DATABASE_OWNER_URL
    })
    assert.include(platform.record(), "api connects as , owner undefined")
    for (const name of ["postgres", "secrets.key"]) assert.isFalse(existsSync(join(platform.dataDir, name)), name)
    assert.strictEqual(await stop(platform, "SIGINT"), 0)
  })
})

describe("npm start that cannot go on", () => {
  const fails = async (environment: NodeJS.ProcessEnv) => {
    const platform = await stagePlatform(environment)
    const code = await platform.exit
    assert.notInclude(platform.out(), "is ready")
    return { code, platform }
  }

  it("names PORT when it is taken", async () => {
    const taker = createServer().listen(0, "127.0.0.1")
    onTestFinished(() => {
      taker.close()
    })
    const address = await until(() => taker.address() ?? undefined)
    const port = typeof address === "object" ? address.port : 0
    const { code, platform } = await fails({ PORT: String(port) })
    assert.strictEqual(code, 1)
    assert.include(platform.err(), `PORT ${port} on 127.0.0.1 is taken`)
    assert.isFalse(existsSync(join(platform.dataDir, "postgres")))
  })

  it("ends with 78 and names the variable when a setting is wrong", async () => {
    const { code, platform } = await fails({ PORT: "80a" })
    assert.strictEqual(code, 78)
    assert.include(platform.err(), 'PORT must be a whole number from 1 to 65535, and it is "80a".')
  })

  it("ends with 78 when an app refuses its settings, and leaves nothing running", async () => {
    const { code, platform } = await fails({ DATA_DIR: copyOfDatabase(), FIXTURE_WORKER: "refuse" })
    assert.strictEqual(code, 78)
    assert.include(platform.err(), "SOME_SETTING is wrong.")
    assert.isFalse(existsSync(join(platform.dataDir, "postgres", "data", "postmaster.pid")))
    assert.isFalse(pidsIn(platform.record(), "api").some(runs))
  })

  it("gives up when an app dies again and again before it is ready", async () => {
    const { code, platform } = await fails({ ...WITHOUT_POSTGRES, FIXTURE_WORKER: "die" })
    assert.strictEqual(code, 1)
    assert.include(platform.err(), "The worker ended 4 times before it was ready (last: exit code 3).")
  })

  it("stops Postgres when the database cannot be prepared", async () => {
    const { code, platform } = await fails({ DATA_DIR: copyOfDatabase(), FIXTURE_PREPARE: "fails" })
    assert.strictEqual(code, 1)
    assert.include(platform.err(), "prepare failed on purpose")
    assert.isFalse(existsSync(join(platform.dataDir, "postgres", "data", "postmaster.pid")))
  })

  it("says that the database which cannot be reached is that of DATABASE_URL, and how to do without", async () => {
    const { code, platform } = await fails({ ...WITHOUT_POSTGRES, FIXTURE_PREPARE: "finds nobody" })
    assert.strictEqual(code, 1)
    assert.include(
      platform.err(),
      "The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1. DATABASE_URL is set here, so npm start brings no " +
        "Postgres of its own: `unset DATABASE_URL SECRETS_KEY` for that."
    )
  })

  it("does not go on when the app that prepares the database ends", async () => {
    const { code, platform } = await fails({ ...WITHOUT_POSTGRES, FIXTURE_PREPARE: "dies" })
    assert.strictEqual(code, 1)
    assert.include(platform.err(), "The worker ended before it had answered.")
    assert.notInclude(platform.record(), "api ready")
  })

  it("keeps a secrets.key that it does not understand", async () => {
    const dataDir = copyOfDatabase()
    writeFileSync(join(dataDir, "secrets.key"), "something else\n")
    const { code, platform } = await fails({ DATA_DIR: dataDir })
    assert.strictEqual(code, 1)
    assert.include(platform.err(), "does not hold 32 bytes in base64")
    assert.strictEqual(readFileSync(join(dataDir, "secrets.key"), "utf8"), "something else\n")
  })
})
