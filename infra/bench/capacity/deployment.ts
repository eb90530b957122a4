/** A deployment of several processes of each kind over one Postgres, and what it has used so far. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { runAdminIn } from "../../../apps/admin/test/program.ts"
import { type App, startApi, startApp } from "../../system/harness.ts"
import { fire } from "../api/load.ts"
import { startDatabase } from "../delivery/database.ts"
import { processorSeconds } from "../delivery/processes.ts"
import { SECRETS_KEY } from "../delivery/tenants.ts"

/** An organization with a workspace and an agent of the recipe `demo`. */
export interface CapacityTenant {
  readonly orgKey: string
  readonly key: string
  readonly agentId: string
}

/** Counters of a deployment, whose differences are measured. `api`, `worker` and `postgres` are seconds of processor time. */
export interface Used {
  readonly api: number
  readonly worker: number
  readonly postgres: number
  /** The end of the write-ahead log, in which `logged` counts bytes. */
  readonly position: string
  readonly storedBytes: number
  readonly statements: number
  readonly commits: number
  readonly transactionIds: number
}

/** A running deployment. */
export interface Deployment {
  readonly apis: ReadonlyArray<Awaited<ReturnType<typeof startApi>>>
  readonly url: string
  readonly query: <Row extends object>(text: string) => Promise<ReadonlyArray<Row>>
  readonly used: () => Promise<Used>
  /** Bytes of the log between two positions: records, and images of pages that were touched first since a checkpoint. */
  readonly logged: (from: string, to: string) => Promise<{ readonly walBytes: number; readonly pageBytes: number }>
  readonly makeTenant: (name: string) => Promise<CapacityTenant>
  /** Has runs of these tenants triggered over so many connections to each API, and waits until all is done and delivered. */
  readonly drive: (
    tenants: ReadonlyArray<CapacityTenant>,
    options: { readonly runs: number; readonly connections: number; readonly steps: ReadonlyArray<object> }
  ) => Promise<void>
  readonly stop: () => Promise<void>
}

/** 1 while something is not done yet, else 0; the cheaper questions come first. */
const UNDONE = `
  select case when exists (select from agent_platform.run where status in ('queued', 'running')) then 1
    when exists (select from agent_platform.event_outbox) then 1
    when exists (select from agent_platform.webhook_delivery where state = 'pending') then 1 else 0 end as count
`

const USED = `
  select pg_current_wal_lsn()::text as position,
    (
      select sum(pg_total_relation_size(pg_class.oid))::text from pg_class
      join pg_namespace on pg_namespace.oid = relnamespace where nspname = 'agent_platform' and relkind = 'r'
    ) as stored,
    (select coalesce(sum(calls), 0)::text from pg_stat_statements) as statements,
    (select xact_commit::text from pg_stat_database where datname = current_database()) as commits,
    pg_snapshot_xmax(pg_current_snapshot())::text as ids
`

const processesUse = (pids: ReadonlyArray<number>) => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0)

const shotOf = (tenant: CapacityTenant, port: number, steps: ReadonlyArray<object>) => ({
  port,
  method: "POST" as const,
  paths: ["/api/v1/runs/"],
  key: tenant.key,
  body: { agent_id: tenant.agentId, input: { steps } },
  status: 202
})

/** Starts everything: a Postgres that keeps its data, so many APIs and so many workers. */
export const startDeployment = async (apis: number, workers: number, poolMax: number): Promise<Deployment> => {
  const database = await startDatabase()
  const { url } = database
  const admin = async (...args: ReadonlyArray<string>) => {
    const { code, err, out } = await Effect.runPromise(runAdminIn({ DATABASE_URL: url, SECRETS_KEY }, ...args))
    if (code !== 0) throw new Error(`admin ${args.join(" ")}: ${err}`)
    return out
  }
  await admin("migrate")
  await database.run(SqlClient.SqlClient.use((sql) => sql.unsafe("create extension pg_walinspect")))
  const settings = { DATABASE_POOL_MAX: String(poolMax), WORKSPACE_RATE_LIMIT: "1000000/60" }
  const started = await Promise.all(Array.from({ length: apis }, () => startApi(url, async () => settings)))
  const working: ReadonlyArray<App> = await Promise.all(
    Array.from({ length: workers }, () => startApp("worker", url, settings))
  )
  const query = <Row extends object>(text: string) =>
    database.run(SqlClient.SqlClient.use((sql) => sql.unsafe<Row>(text)))
  return {
    apis: started,
    url,
    query,
    used: async () => {
      const [row] = await query<Record<"position" | "stored" | "statements" | "commits" | "ids", string>>(USED)
      const { processorSeconds: postgres } = await database.effort()
      return {
        api: processesUse(started.map(({ pid }) => pid())),
        worker: processesUse(working.map(({ pid }) => pid)),
        postgres,
        position: row?.position ?? "0/0",
        storedBytes: Number(row?.stored),
        statements: Number(row?.statements),
        commits: Number(row?.commits),
        transactionIds: Number(row?.ids)
      }
    },
    logged: async (from, to) => {
      const [row] = await query<{ readonly records: string; readonly pages: string }>(
        `select sum(record_size)::text as records, sum(fpi_size)::text as pages from pg_get_wal_stats('${from}', '${to}')`
      )
      return { walBytes: Number(row?.records), pageBytes: Number(row?.pages) }
    },
    makeTenant: async (name) => {
      const made = JSON.parse(await admin("bootstrap", "--organization", name)) as Record<string, string>
      const key = made["workspace_key"] ?? ""
      const [api] = started
      const agent = await api?.ask(key, "POST", "/api/v1/agents", { name, recipe: "demo" })
      if (agent?.status !== 201) throw new Error(`No agent was made: ${JSON.stringify(agent?.body)}`)
      return { key, orgKey: made["org_key"] ?? "", agentId: String(agent.body["agent_id"]) }
    },
    drive: async (tenants, { connections, runs, steps }) => {
      const loads = started.flatMap(({ port }) => tenants.map((tenant) => ({ port, tenant })))
      const each = {
        connections: Math.max(1, Math.round((connections * started.length) / loads.length)),
        requestsMax: Math.ceil(runs / loads.length),
        seconds: 600
      }
      await Promise.all(loads.map(({ port, tenant }) => fire(shotOf(tenant, port, steps), each)))
      while ((await query<{ readonly count: number }>(UNDONE))[0]?.count !== 0) {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    stop: async () => {
      await Promise.all([...started, ...working].map((app) => app.stop()))
      await database.stop()
    }
  }
}
