/** API and worker as real processes over a database of their own, each with a meter inside. */
import { fileURLToPath } from "node:url"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { foundWithKeys } from "../../apps/admin/src/founding.ts"
import { layerCommand } from "../../apps/admin/src/layers.ts"
import { freePort } from "../local/postgres/freePort.ts"
import { type App, makeDatabase, startApp } from "../system/harness.ts"
import { connectMeter, type Meter } from "./meter.ts"
import { type Answered, makeSender, type Sending } from "./send.ts"

/** The apps that are measured. */
export const APPS = ["api", "worker"] as const
export type AppName = (typeof APPS)[number]

/** An organization with a workspace, and a key for each. */
export interface Organization {
  readonly organizationId: string
  readonly workspaceId: string
  readonly orgKey: string
  readonly workspaceKey: string
}

/** The platform that is measured. */
export interface Platform {
  readonly port: number
  readonly meter: (app: AppName) => Meter
  readonly ask: (sending: Sending, millisMax: number) => Promise<Answered>
  readonly found: () => Promise<Organization>
  readonly query: (statement: string, ...values: ReadonlyArray<unknown>) => Promise<ReadonlyArray<unknown>>
  /** Ends both apps at once and starts them anew, on the same port; with `flags` for their Node beside the usual ones. */
  readonly restart: (flags?: ReadonlyArray<string>) => Promise<void>
  readonly stop: () => Promise<void>
}

const PRELOADS = ["./meterPreload.ts"]

/** The apps' settings beside those of every test: no limits but the measured ones. */
const ENVIRONMENT = {
  DEMO_AGENT: "full",
  EGRESS_ALLOW_LOOPBACK: "true",
  TRUSTED_PROXIES: "127.0.0.1",
  WORKSPACE_RATE_LIMIT: "1000000/1",
  WORKER_DRAIN_SECONDS: "0",
  LOG_LEVEL: "error"
}

const importing = (preloads: ReadonlyArray<string>) =>
  preloads.map((path) => `--import ${new URL(path, import.meta.url).href}`).join(" ")

interface Started {
  readonly app: App
  readonly meter: Meter
}

const startMeasured = async (
  name: AppName,
  databaseUrl: string,
  environment: Readonly<Record<string, string>>,
  flags: ReadonlyArray<string>
): Promise<Started> => {
  const meterPort = await freePort()
  const app = await startApp(name, databaseUrl, { ...environment, WORST_METER_PORT: String(meterPort) }, flags)
  return { app, meter: await connectMeter(meterPort) }
}

/** Starts everything. `preloads` are files that the apps load before their own, for handlers that are broken on purpose. */
export const startPlatform = async (
  postgresUrl: string,
  options: { readonly preloads?: ReadonlyArray<string> } = {}
): Promise<Platform> => {
  const database = await makeDatabase(postgresUrl)
  const port = await freePort()
  const environment = {
    ...ENVIRONMENT,
    PORT: String(port),
    HOST: "127.0.0.1",
    NODE_OPTIONS: importing([...PRELOADS, ...(options.preloads ?? [])])
  }
  const start = async (flags: ReadonlyArray<string> = []): Promise<Record<AppName, Started>> => {
    const [api, worker] = await Promise.all(APPS.map((name) => startMeasured(name, database.url, environment, flags)))
    return { api: api!, worker: worker! }
  }
  let apps = await start()
  const abandon = () => {
    for (const { app } of Object.values(apps)) process.kill(app.pid, "SIGKILL")
  }
  process.once("exit", abandon)
  let sender = makeSender(port)
  const admin = ManagedRuntime.make(layerCommand(Redacted.make(database.url)))

  const end = async () => {
    sender.close()
    for (const { app, meter } of Object.values(apps)) {
      meter.close()
      await app.kill()
    }
  }

  return {
    port,
    meter: (app) => apps[app].meter,
    ask: (sending, millisMax) => sender.ask(sending, millisMax),
    found: () =>
      admin.runPromise(
        foundWithKeys({ organization: "Measured", workspace: "Measured", timezone: "UTC", ownerEmail: undefined }).pipe(
          Effect.orDie,
          Effect.map((made) => ({
            organizationId: made.organization_id,
            workspaceId: made.workspace_id,
            orgKey: made.org_key,
            workspaceKey: made.workspace_key
          }))
        )
      ),
    query: (statement, ...values) => admin.runPromise(SqlClient.SqlClient.use((sql) => sql.unsafe(statement, values))),
    restart: async (flags) => {
      await end()
      apps = await start(flags)
      sender = makeSender(port)
    },
    stop: async () => {
      process.off("exit", abandon)
      await end()
      await admin.dispose()
      await database.drop()
    }
  }
}

/** The file of a module beside this one. */
export const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
