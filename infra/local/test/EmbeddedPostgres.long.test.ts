import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { assert, describe, expect, it, onTestFinished } from "vitest"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../EmbeddedPostgres.ts"
import { asAccount, databaseAccount } from "../postgres/account.ts"
import { processIdentity } from "../processLock.mjs"
import { databaseToCopy, query, runs, stage, temporaryFolder, until } from "./stage.ts"

/** Started here, and stopped at the end of the test; `said` takes its lines. */
const start = async (dataDir: string, said: Array<string> = [], durable = false): Promise<EmbeddedPostgres> => {
  const postgres = await startEmbeddedPostgres({ dataDir, durable, say: (line) => said.push(line) })
  onTestFinished(() => postgres.stop("immediate"))
  return postgres
}

const startAndStop = async (dataDir: string): Promise<EmbeddedPostgres> => {
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, say: () => undefined })
  await postgres.stop("fast")
  return postgres
}

const copyOfDatabase = databaseToCopy()

const portOf = (url: string): number => Number(new URL(url).port)

const stagedPostgres = async (dataDir: string) => {
  const staged = await stage("postgres.ts", [dataDir], { PATH: process.env.PATH })
  const { pid, url } = JSON.parse(await until(() => staged.out() !== "" && staged.out())) as {
    pid: number
    url: string
  }
  return { ...staged, pid, url }
}

describe("an embedded Postgres", () => {
  it("keeps its data, its password and its port from one start to the next", async () => {
    const dataDir = temporaryFolder()
    const first = await startEmbeddedPostgres({ dataDir, say: () => undefined })
    await query(first.url, "CREATE TABLE kept (word text)")
    await query(first.url, "INSERT INTO kept VALUES ('still here')")
    await first.stop("fast")
    const second = await start(dataDir, [], true)
    assert.strictEqual(second.url, first.url)
    assert.deepStrictEqual([...(await query(second.url, "SELECT word FROM kept"))], [{ word: "still here" }])
    assert.deepStrictEqual(await query(second.url, "SHOW fsync"), [{ fsync: "on" }])
  })

  it("lets nobody in without the password", async () => {
    const postgres = await start(copyOfDatabase())
    const wrong = new URL(postgres.url)
    wrong.password = "guessed"
    const refused = await query(String(wrong), "SELECT 1").then(
      () => false,
      () => true
    )
    assert.isTrue(refused)
    assert.strictEqual(statSync(join(postgres.folder, "server.json")).mode & 0o777, 0o600)
  })

  it("has a role for its tables and one for the apps, neither of which is a superuser, and keeps them", async () => {
    const dataDir = copyOfDatabase()
    const first = await startAndStop(dataDir)
    const postgres = await start(dataDir)
    assert.deepStrictEqual([postgres.ownerUrl, postgres.appUrl], [first.ownerUrl, first.appUrl])
    const roles =
      "SELECT rolname AS name FROM pg_roles WHERE rolname LIKE 'agent%' AND NOT rolsuper AND NOT rolcreaterole ORDER BY 1"
    assert.deepStrictEqual(
      [...(await query(postgres.url, roles))],
      [{ name: "agent_platform" }, { name: "agent_platform_owner" }]
    )
    await query(postgres.ownerUrl, "CREATE TABLE kept AS SELECT 1 AS one")
    for (const statement of ["CREATE TABLE mine (id int)", "CREATE TEMPORARY TABLE mine (id int)", "TABLE kept"]) {
      await expect(query(postgres.appUrl, statement), statement).rejects.toMatchObject({
        reason: { _tag: "AuthorizationError" }
      })
    }
  })

  it("that its killed starter left running is restarted, with all that was committed", async () => {
    const dataDir = copyOfDatabase()
    const killed = await stagedPostgres(dataDir)
    await query(killed.url, "CREATE TABLE kept AS SELECT 1 AS one")
    killed.child.kill("SIGKILL")
    await killed.exit
    assert.isTrue(runs(killed.pid))
    const said: Array<string> = []
    const postgres = await start(dataDir, said, true)
    assert.isFalse(runs(killed.pid))
    assert.include(said.join("\n"), `process ${killed.pid}`)
    assert.deepStrictEqual([...(await query(postgres.url, "SELECT one FROM kept"))], [{ one: 1 }])
  })

  it("whose making was killed half-way is made anew", async () => {
    const dataDir = temporaryFolder()
    const drafts = () => readdirSync(dataDir).filter((name) => name.startsWith("postgres.new-"))
    const killed = await stage("postgres.ts", [dataDir], { PATH: process.env.PATH })
    await until(() => drafts().some((name) => existsSync(join(dataDir, name, "data", "PG_VERSION"))))
    killed.child.kill("SIGKILL")
    await killed.exit
    assert.isFalse(existsSync(join(dataDir, "postgres")))
    const postgres = await start(dataDir)
    assert.deepStrictEqual(drafts(), [])
    assert.deepStrictEqual(await query(postgres.url, "SELECT 1 AS one"), [{ one: 1 }])
  })

  it("starts though the process number in its pid file belongs to another program now", async () => {
    const dataDir = copyOfDatabase()
    const { folder } = await startAndStop(dataDir)
    // Of the same user, because Postgres believes in any such process.
    const account = asAccount(databaseAccount(join(folder, "data")))
    const stranger = spawn("sleep", ["60"], { ...account, stdio: "ignore" })
    onTestFinished(() => {
      stranger.kill("SIGKILL")
    })
    const pid = await until(() => stranger.pid)
    writeFileSync(join(folder, "data", "postmaster.pid"), `${pid}\n${join(folder, "data")}\n1\n1\n\n\n\n\n`)
    const postgres = await start(dataDir)
    assert.deepStrictEqual(await query(postgres.url, "SELECT 1 AS one"), [{ one: 1 }])
    assert.isDefined(processIdentity(pid))
  })

  it("comes back on its port when its server is killed", async () => {
    const postgres = await start(copyOfDatabase(), [], true)
    await query(postgres.url, "CREATE TABLE kept AS SELECT 1 AS one")
    const killed = postgres.pid()
    process.kill(killed, "SIGKILL")
    const rows = await until(() => query(postgres.url, "SELECT one FROM kept").catch(() => undefined))
    assert.deepStrictEqual([...rows], [{ one: 1 }])
    assert.notStrictEqual(postgres.pid(), killed)
  })

  it("takes another port when its own is taken", async () => {
    const dataDir = copyOfDatabase()
    const port = portOf((await startAndStop(dataDir)).url)
    const taker = createServer().listen(port, "127.0.0.1")
    onTestFinished(() => {
      taker.close()
    })
    const postgres = await start(dataDir)
    assert.notStrictEqual(portOf(postgres.url), port)
    assert.include(readFileSync(join(postgres.folder, "server.json"), "utf8"), String(portOf(postgres.url)))
  })

  it("refuses a second start on its folder and names the process that has it", async () => {
    const dataDir = copyOfDatabase()
    await start(dataDir)
    const refused = await startEmbeddedPostgres({ dataDir, say: () => undefined }).catch(
      (error: Error) => error.message
    )
    assert.strictEqual(refused, `The database in ${join(dataDir, "postgres")} is in use by process ${process.pid}.`)
  })

  it("is not started over by another major version", async () => {
    const dataDir = copyOfDatabase()
    const { folder } = await startAndStop(dataDir)
    writeFileSync(join(folder, "data", "PG_VERSION"), "9\n")
    const refused = await startEmbeddedPostgres({ dataDir, say: () => undefined }).catch(
      (error: Error) => error.message
    )
    assert.match(String(refused), /was made by Postgres 9 and this is Postgres \d+/)
  })
})

describe.runIf(process.getuid?.() === 0)("root's embedded Postgres", () => {
  it("lies in a folder of its own when DATA_DIR is closed to the database user, and is found there again", async () => {
    const dataDir = join(temporaryFolder(0o700), "data")
    mkdirSync(dataDir, { mode: 0o755 })
    const said: Array<string> = []
    const first = await startEmbeddedPostgres({ dataDir, durable: false, say: (line) => said.push(line) })
    onTestFinished(() => rmSync(first.folder, { recursive: true, force: true }))
    await query(first.url, "CREATE TABLE kept AS SELECT 1 AS one")
    await first.stop("fast")
    assert.strictEqual(dirname(first.folder), "/var/lib/agent-platform")
    assert.include(said.join("\n"), first.folder)
    assert.strictEqual(statSync(dirname(dataDir)).mode & 0o777, 0o700)
    const second = await start(dataDir)
    assert.deepStrictEqual([...(await query(second.url, "SELECT one FROM kept"))], [{ one: 1 }])
  })
})
