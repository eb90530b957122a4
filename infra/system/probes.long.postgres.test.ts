/** Questions of Kubernetes and Docker to the worker and the scheduler, with Postgres there and away. */
import { spawnSync } from "node:child_process"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { podOf, readCompose, readManifests } from "../checks/deployment.ts"
import { freePort } from "../local/postgres/freePort.ts"
import { type App, makeDatabase, startApp } from "./harness.ts"
import { startOwnPostgres } from "./ownPostgres.ts"

const containers = readManifests()
  .filter(({ document }) => document.kind === "Deployment")
  .flatMap((manifest) => podOf(manifest).containers)

describe("the probes of the worker and the scheduler", () => {
  let postgres: Awaited<ReturnType<typeof startOwnPostgres>>
  const apps: Array<App> = []
  const ports = new Map<string, number>()

  beforeAll(async () => {
    postgres = await startOwnPostgres()
    const { url } = await makeDatabase(postgres.url)
    const start = async (name: "worker" | "admin", service: string) => {
      const port = await freePort()
      ports.set(service, port)
      apps.push(await startApp(name, url, { METRICS_PORT: String(port), LOG_LEVEL: "fatal" }))
    }
    await start("worker", "worker")
    await start("admin", "scheduler")
  })

  afterAll(async () => {
    await Promise.all(apps.map((app) => app.kill()))
    await postgres?.stop()
  })

  const assertAnswered = async (when: string) => {
    for (const [service, port] of ports) {
      const container = containers.find(({ name }) => name === service)
      for (const probe of [container?.startupProbe, container?.livenessProbe, container?.readinessProbe]) {
        const answer = await fetch(`http://127.0.0.1:${port}${probe?.httpGet.path}`, {
          signal: AbortSignal.timeout((probe?.timeoutSeconds ?? 1) * 1000)
        })
        assert.strictEqual(answer.status, 200, `${service} ${when}`)
        await answer.text()
      }
    }
  }

  it("are answered in time, while Postgres is away as well", async () => {
    await assertAnswered("with Postgres")
    await postgres.away("fast")
    await assertAnswered("without Postgres")
    await postgres.back()
    await assertAnswered("with Postgres again")
  })

  it("say in Docker that a process is well, and that one is not where nothing answers", async () => {
    const unused = await freePort()
    for (const [service, port] of ports) {
      const [, , flag = "", script = ""] = readCompose().services[service]?.healthcheck?.test ?? []
      const asked = (at: number) =>
        spawnSync(process.execPath, [flag, script.replace(":9464/", `:${at}/`)], { encoding: "utf8" }).status
      assert.deepStrictEqual([asked(port), asked(unused)], [0, 1], service)
    }
  })
})
