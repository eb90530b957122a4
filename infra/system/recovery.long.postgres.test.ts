/** The lines of docs/recovery.md as they stand, over a Postgres of the test's own. */
import { execFile } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { rotateRecordKey } from "@agent-platform/runs"
import { Effect, Redacted } from "effect"
import pg from "pg"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { foundWithKeys } from "../../apps/admin/src/founding.ts"
import { layerCommand, layerSecrets } from "../../apps/admin/src/layers.ts"
import { prepare } from "../../apps/admin/src/prepare.ts"
import { TOP_FOLDER } from "../checks/repository.ts"
import { appBundle } from "../local/appBundles.ts"
import { freePort } from "../local/postgres/freePort.ts"
import { SECRETS_KEY, startApi, startApp, startReceiver, until } from "./harness.ts"
import { findPostgresPrograms } from "./postgresPrograms.ts"

const run = promisify(execFile)
const programs = findPostgresPrograms()

/** The fenced commands below a heading of the page, block by block. */
const blocksOf = (heading: string): ReadonlyArray<string> => {
  const page = readFileSync(join(TOP_FOLDER, "docs/recovery.md"), "utf8")
  const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`))
  return [...(section ?? "").matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? "")
}

/** The longest that a test or a hook may take on a machine that has much else to do. */
const MILLIS_MAX = 600_000

// The page's lines call pg_dump, pg_basebackup and others of the system's Postgres; where one is missing the name of the suite says which.
describe.skipIf(programs.missing !== undefined)(
  `docs/recovery.md${programs.missing === undefined ? "" : `, which needs ${programs.missing}`}`,
  () => {
    let home: string
    let environment: Record<string, string>
    let superuserUrl: string
    /** The path on which npm is npm. */
    let shippedPath: string

    /** Runs lines as the user of Postgres. */
    const onServer = async (lines: string, more: Readonly<Record<string, string>> = {}) =>
      (
        await run("bash", ["-euo", "pipefail", "-c", lines], {
          ...programs.user,
          cwd: home,
          env: { ...environment, ...more }
        })
      ).stdout

    /** Runs the lines of a block where the page says that they are for. */
    const lines = (block: string, more: Readonly<Record<string, string>> = {}) =>
      block.includes("npm run")
        ? run("bash", ["-euo", "pipefail", "-c", block], { cwd: TOP_FOLDER, env: { ...environment, ...more } }).then(
            ({ stdout }) => stdout
          )
        : onServer(block, more)

    /** Asks over one connection: each costs Postgres more than most statements. */
    const connected = async <A>(url: string | undefined, act: (client: pg.Client) => Promise<A>): Promise<A> => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return await act(client)
      } finally {
        await client.end()
      }
    }
    const ask = (text: string, url: string | undefined = superuserUrl) =>
      connected(url, async (client) => (await client.query(text)).rows)
    const inPlatform = (text: string) => ask(text, environment["DATABASE_OWNER_URL"])

    /** How many rows each table has, and a hash of all. Renewed marks are a run of a job; rates are in a table without WAL. */
    const contents = () =>
      connected(environment["DATABASE_OWNER_URL"], async (client) => {
        const tables = await client.query(
          "select relname from pg_class where relnamespace = 'agent_platform'::regnamespace and relkind = 'r' and relpersistence = 'p' and relname <> 'job_run' order by 1"
        )
        const found: Record<string, string> = {}
        for (const { relname } of tables.rows) {
          const { rows } = await client.query(
            `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as all from agent_platform."${relname}" as t`
          )
          found[relname] = rows[0].all
        }
        return found
      })

    const appsUrl = () => Redacted.make(environment["DATABASE_URL"] ?? "")

    /** Adds rows as `bootstrap` does, here: only the commands of the page are worth a process each. */
    const found = (organization: string) =>
      Effect.runPromise(
        foundWithKeys({ organization, workspace: "Main", timezone: "UTC", ownerEmail: undefined }).pipe(
          Effect.orDie,
          Effect.provide(layerCommand(appsUrl()))
        )
      )

    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), "agent-platform-recovery-"))
      chmodSync(home, 0o711)
      for (const folder of ["backups", "archive"]) mkdirSync(join(home, folder))
      if (programs.user !== undefined) {
        const { gid, uid } = programs.user
        for (const folder of ["", "backups", "archive"]) chownSync(join(home, folder), uid, gid)
      }
      // By npm a command takes 2.5 s of processor time, as a bundle 0.6 s: that the lines lead there is seen once.
      const { main } = await appBundle("admin")
      const npm = [
        "#!/bin/bash",
        '[ "$1 $2 $3 $4" = "run -s admin --" ] || { echo "not the line of the page: npm $*" >&2; exit 64; }',
        `exec "${process.execPath}" "${main}" "\${@:5}"`
      ]
      mkdirSync(join(home, "quick"))
      writeFileSync(join(home, "quick/npm"), `${npm.join("\n")}\n`, { mode: 0o755 })
      shippedPath = `${programs.folder}${delimiter}${process.env["PATH"]}`
      const [port, standbyPort] = [await freePort(), await freePort()]
      const at = (user: string, database: string, hosts = `127.0.0.1:${port}`) =>
        `postgres://${user}:secret@${hosts}/${database}`
      superuserUrl = at("boss", "postgres")
      environment = {
        PATH: `${join(home, "quick")}${delimiter}${shippedPath}`,
        HOME: home,
        PGDATA: join(home, "main"),
        PGLOG: join(home, "log"),
        BACKUPS: join(home, "backups"),
        ARCHIVE: join(home, "archive"),
        STANDBY: join(home, "standby"),
        STANDBY_PORT: `${standbyPort}`,
        SUPERUSER_URL: superuserUrl,
        REPLICATION_URL: at("standby", "postgres"),
        DATABASE_OWNER_URL: at("agents_owner", "agents"),
        DATABASE_URL: `${at("agents", "agents", `127.0.0.1:${port},127.0.0.1:${standbyPort}`)}?target_session_attrs=read-write`,
        SECRETS_KEY,
        LOG_LEVEL: "error"
      }
      writeFileSync(join(home, "password"), "secret")
      const settings = { port, listen_addresses: "127.0.0.1", unix_socket_directories: "", timezone: "UTC" }
      writeFileSync(
        join(home, "settings"),
        Object.entries(settings)
          .map(([name, value]) => `${name} = '${value}'\n`)
          .join("")
      )
      await onServer(
        'initdb --username=boss --auth=scram-sha-256 --pwfile=password --pgdata="$PGDATA" && cat settings >> "$PGDATA/postgresql.conf" && pg_ctl start --wait --log="$PGLOG"'
      )
      await ask("create role agents_owner login password 'secret'")
      await ask("create role agents login password 'secret'")
      await ask("create database agents owner agents_owner")
      await prepare({
        databaseUrl: environment["DATABASE_URL"] ?? "",
        databaseOwnerUrl: environment["DATABASE_OWNER_URL"] ?? "",
        secretsKey: SECRETS_KEY,
        known: null
      })
      // Something sealed, and something that is delivered or still to be.
      const { organization_id, workspace_id } = await found("Acme")
      await Effect.runPromise(Effect.provide(rotateRecordKey(), layerSecrets(appsUrl(), Redacted.make(SECRETS_KEY))))
      await inPlatform(`
        with endpoint as (
          insert into agent_platform.webhook_endpoint (organization_id, id, url, event_types, status, sealed_secret, created_at)
          values ('${organization_id}', gen_random_uuid(), 'https://example.com/', '{}', 'active', '', now()) returning *
        ), event as (
          insert into agent_platform.event (id, organization_id, workspace_id, type, created_at, data)
          select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n), 3, '0') || '8000' || repeat('0', 12))::uuid,
            '${organization_id}', '${workspace_id}', 'run.failed', now(), '{}' from generate_series(1, 500) as n returning *
        )
        insert into agent_platform.webhook_delivery (
          endpoint_id, event_id, organization_id, event_type, state, attempt_count, failures, next_attempt_at, due_at, created_at, delivered_at
        )
        select endpoint.id, event.id, event.organization_id, type, case when pending then 'pending' else 'delivered' end, 1, 1,
          case when pending then now() + interval '1 hour' end, case when pending then now() + interval '1 hour' end, now(),
          case when not pending then now() end
        from endpoint, event cross join lateral (select random() < 0.2) as one (pending)
      `)
    }, MILLIS_MAX)

    afterAll(async () => {
      for (const folder of ["main", "standby"]) {
        await onServer(`pg_ctl stop --mode=immediate --pgdata="${join(home, folder)}" || true`)
      }
      rmSync(home, { recursive: true, force: true })
    }, MILLIS_MAX)

    it(
      "brings a dump back with every row, deliveries in their states, and secrets that open",
      async () => {
        const before = await contents()
        assert.match(before["webhook_endpoint"] ?? "", /^1 /)
        for (const block of blocksOf("Dumping")) await lines(block)
        await found("Later")
        assert.notDeepEqual(await contents(), before)
        const said: Array<string> = []
        for (const block of blocksOf("Restoring a dump")) said.push(await lines(block, { PATH: shippedPath }))
        assert.deepStrictEqual(await contents(), before)
        assert.match(said.join("\n"), /1 were under the current key, 0 were changed meanwhile, 0 do not open/)
        assert.notMatch(said.join("\n"), /^problem/m)
        assert.match(said.join("\n"), /^ok +database\.role/m)
      },
      MILLIS_MAX
    )

    it(
      "lets a worker go on after a dump was restored: what was pending is sent, what had arrived is not",
      async () => {
        const url = environment["DATABASE_URL"] ?? ""
        const { organization_id, org_key, workspace_key } = await found("Receivers")
        let isAway = true
        const [steady, away] = [await startReceiver(), await startReceiver(() => (isAway ? 500 : 200))]
        const api = await startApi(url)
        const start = () => startApp("worker", url)
        let worker = await start()
        try {
          for (const receiver of [steady, away]) {
            const registered = await api.ask(org_key, "POST", "/api/v1/org/webhooks", { url: receiver.url })
            assert.strictEqual(registered.status, 201)
          }
          const { body: agent } = await api.ask(workspace_key, "POST", "/api/v1/agents", {
            name: "Demo",
            recipe: "demo"
          })
          const trigger = () =>
            api.ask(workspace_key, "POST", "/api/v1/runs/", { agent_id: agent["agent_id"], message: "Hello" })
          const states = async () => {
            const rows = await inPlatform(
              `select state, attempt_count from agent_platform.webhook_delivery where organization_id = '${organization_id}' order by 1`
            )
            return rows.map(({ attempt_count, state }) => `${state} ${attempt_count}`).join(", ")
          }
          const arrivals = ({ received }: typeof steady) => received.map(({ headers }) => headers["x-service-event-id"])
          await trigger()
          await until("one has arrived and one has not", async () => (await states()) === "delivered 1, pending 1")
          await worker.stop()
          for (const block of blocksOf("Dumping")) await lines(block)
          await api.stop()
          isAway = false
          for (const block of blocksOf("Restoring a dump")) await lines(block)
          assert.strictEqual(await states(), "delivered 1, pending 1")
          await inPlatform(`
            update agent_platform.webhook_delivery set next_attempt_at = now(), due_at = now()
            where organization_id = '${organization_id}' and state = 'pending'
          `)
          await api.restart()
          worker = await start()
          await until("what was pending has arrived", async () => (await states()) === "delivered 1, delivered 2")
          await trigger()
          await until("a later event has arrived", () => steady.received.length > 1 && away.received.length > 2)
          const [event, later] = arrivals(steady)
          assert.notStrictEqual(later, event)
          assert.deepStrictEqual(arrivals(steady), [event, later])
          assert.deepStrictEqual(arrivals(away), [event, event, later])
        } finally {
          await Promise.all([worker.kill(), api.kill(), steady.stop(), away.stop()])
        }
      },
      MILLIS_MAX
    )

    it(
      "goes back to a moment, with what was there then and nothing of what came later",
      async () => {
        const [archiving, copying, cleaning, stopping, reading, looking, ...more] = blocksOf("To a point in time")
        assert.isEmpty(more)
        await lines(archiving ?? "")
        await lines(copying ?? "")
        const firstCopy = await onServer('cat "$BACKUPS/base/backup_label"')
        // The next day, with what a copy that was broken off has left.
        await onServer('cp -a "$BACKUPS/base/global" "$BACKUPS/base.new"')
        await lines(copying ?? "")
        assert.strictEqual(await onServer('cat "$BACKUPS/base.old/backup_label"'), firstCopy)
        const [, needed = ""] = /\(file (\w+)\)/.exec(firstCopy) ?? []
        const archived = async () =>
          (await onServer('ls "$ARCHIVE"')).split("\n").filter((name) => /^[\dA-F]{24}$/.test(name))
        await until("the first copy's WAL is archived", async () => (await archived()).includes(needed))
        await lines(cleaning ?? "")
        assert.strictEqual((await archived())[0], needed)
        await found("After the copy")
        const before = await contents()
        const [moment] = await ask("select now()::text as now")
        await found("Mistake")
        await lines(stopping ?? "")
        await lines(reading ?? "", { WHEN: moment.now })
        assert.deepStrictEqual(await contents(), before)
        const said = await lines(looking ?? "")
        assert.include(said, "All marks are of this server")
        assert.notMatch(said, /^problem/m)
      },
      MILLIS_MAX
    )

    it(
      "fails over to a standby that has everything, where the same URL leads",
      async () => {
        const [role, standby, synchronous, asynchronous, promoting, looking, ...more] =
          blocksOf("A standby, and a failover")
        assert.isEmpty(more)
        await lines(role ?? "")
        await lines(standby ?? "")
        await lines(synchronous ?? "")
        await until("the standby is waited for", async () => {
          const [row] = await ask("select sync_state = 'sync' as is_sync from pg_stat_replication")
          return row?.is_sync ? true : undefined
        })
        const before = await contents()
        await until("the standby has it all", async () => {
          const [row] = await ask(
            "select count(*) = 1 as is_same from pg_stat_replication where replay_lsn = pg_current_wal_lsn()"
          )
          return row.is_same ? true : undefined
        })
        await lines(promoting ?? "")
        const [from, to] = [new URL(superuserUrl).port, environment["STANDBY_PORT"] ?? ""]
        for (const name of ["SUPERUSER_URL", "DATABASE_OWNER_URL"]) {
          environment[name] = environment[name]?.replace(`:${from}/`, `:${to}/`) ?? ""
        }
        assert.deepStrictEqual(await contents(), before)
        assert.notMatch(await lines(looking ?? ""), /^problem/m)
        // A primary that has lost its standby: what is committed waits, until it is told not to.
        await lines(synchronous ?? "")
        const survivor = found("Survivor")
        const newPrimary = environment["SUPERUSER_URL"]
        await until("a commit waits", async () => {
          const [row] = await ask(
            "select count(*) > 0 as waits from pg_stat_activity where wait_event = 'SyncRep'",
            newPrimary
          )
          return row.waits ? true : undefined
        })
        await lines(asynchronous ?? "")
        await survivor
      },
      MILLIS_MAX
    )
  }
)
