import { execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask, untilNone } from "../bench/database.ts"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../local/EmbeddedPostgres.ts"

const start = (dataDir: string) => startEmbeddedPostgres({ dataDir, say: () => undefined })

const hostOf = ({ url }: EmbeddedPostgres): string => new URL(url).host

/**
 * A Postgres and its streaming standby, each in a folder of its own; `stop` removes both. With `isSynchronous` what the primary has
 * committed is on the disk of the standby, too. The standby begins as a copy of the primary's data, and so has its roles and passwords.
 * `settings` are lines for the configuration of both.
 */
export const startPrimaryAndStandby = async ({ isSynchronous = false, settings = "" } = {}) => {
  const home = mkdtempSync(join(tmpdir(), "agent-platform-standby-"))
  // Started by root, Postgres runs as another user, which has to pass through this folder.
  chmodSync(home, 0o711)
  const [ofPrimary, ofStandby] = [join(home, "primary"), join(home, "standby")]
  let primary = await start(ofPrimary)
  await primary.stop("fast")
  appendFileSync(join(ofPrimary, "postgres", "data", "postgresql.auto.conf"), settings)
  execFileSync("cp", ["-a", ofPrimary, ofStandby])
  primary = await start(ofPrimary)
  const { hostname, password, port, username } = new URL(primary.url)
  const data = join(ofStandby, "postgres", "data")
  appendFileSync(
    join(data, "postgresql.auto.conf"),
    // A standby looks for a lost primary every 5 s unless this is set, and one that is promoted meanwhile waits for the next look.
    "wal_retrieve_retry_interval = '500ms'\n" +
      `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`
  )
  writeFileSync(join(data, "standby.signal"), "")
  const standby = await start(ofStandby)
  if (isSynchronous) {
    await ask(primary.url, "alter system set synchronous_standby_names = '*'")
    await ask(primary.url, "select pg_reload_conf()")
    // 0 once the one standby is synchronous.
    const follows = "select count(*)::int - 1 as count from pg_stat_replication where sync_state = 'sync'"
    await untilNone(primary.url, follows)
  }
  return {
    primary: hostOf(primary),
    standby: hostOf(standby),
    /** The URL of these hosts for the superuser, the owner of tables and the role of the apps. */
    urlsOn: (hosts: string, query: string) => {
      const on = (url: string) => url.replace(new URL(url).host, hosts).concat(query)
      return { url: on(primary.url), ownerUrl: on(primary.ownerUrl), appUrl: on(primary.appUrl) }
    },
    /** Kills the primary by SIGKILL, so that nothing listens at its address any more. */
    killPrimary: () => {
      process.kill(primary.pid(), "SIGKILL")
      // Asked to stop, it is not started again.
      return primary.stop("immediate")
    },
    /** Does the same to the standby. */
    killStandby: () => {
      process.kill(standby.pid(), "SIGKILL")
      return standby.stop("immediate")
    },
    /** Makes the standby the primary, as a manager of the two would. */
    promote: () => ask(standby.url, "select pg_promote()"),
    stop: async () => {
      await Promise.all([primary.stop("immediate"), standby.stop("immediate")])
      rmSync(home, { recursive: true, force: true })
    }
  }
}
