/** Two APIs that are restarted in turn, behind a caller that does what a proxy does. */
import { Agent, request } from "node:http"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { makeDatabase, startApi, until } from "./harness.ts"

const DRAIN_SECONDS = 2
const RESTARTS = 2
const CALLERS = 4

/** How long a caller rests between two requests: enough are under way at any moment, and the machine has other tests to do. */
const REST_MILLIS = 5

type Api = Awaited<ReturnType<typeof startApi>>

let database: Awaited<ReturnType<typeof makeDatabase>>
let apis: ReadonlyArray<Api>

beforeAll(async () => {
  database = await makeDatabase(inject("postgresUrl"))
  const start = () => startApi(database.url, async () => ({ API_DRAIN_SECONDS: String(DRAIN_SECONDS) }))
  apis = await Promise.all([start(), start()])
})

afterAll(async () => {
  await Promise.all((apis ?? []).map((api) => api.kill()))
  await database?.drop()
})

const statusOf = (api: Api, agent: Agent | false, path: string, key?: string) =>
  new Promise<number>((resolve, reject) => {
    const headers = key === undefined ? {} : { "x-api-key": key }
    const sent = request({ port: api.port, host: "127.0.0.1", path, agent, headers }, (response) => {
      response.resume().once("error", reject)
      response.once("end", () => resolve(response.statusCode ?? 0))
    })
    sent.once("error", reject).end()
  })

describe("restarts of the API", () => {
  it("fail no request, over kept connections and over new ones", async () => {
    const key = database.credentials.workspace_key
    const kept = new Agent({ keepAlive: true })
    const ready = new Set(apis)
    const failures: Array<string> = []
    let over = false
    let answered = 0

    const probing = apis.map(async (api) => {
      while (!over) {
        const status = await statusOf(api, false, "/readyz").catch(() => 0)
        if (status === 200) ready.add(api)
        else ready.delete(api)
        // As often as a proxy would look.
        await setTimeout(200)
      }
    })
    const calling = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let count = caller; !over; count++) {
        const served = [...ready]
        const api = served[count % served.length]
        if (api === undefined) throw new Error("No API is ready")
        await statusOf(api, caller % 2 === 0 ? kept : false, "/api/v1/runs/", key).then(
          (status) => (status === 200 ? answered++ : failures.push(String(status))),
          (error: unknown) => failures.push(String(error))
        )
        await setTimeout(REST_MILLIS)
      }
    })

    try {
      for (let restart = 0; restart < RESTARTS; restart++) {
        const api = apis[restart % apis.length]!
        assert.strictEqual(await api.stop(), 0)
        await api.restart()
        await until("it is served again", () => ready.has(api) || undefined)
        const before = answered
        await until("both have served", () => answered > before + 50 || undefined)
      }
    } finally {
      over = true
      await Promise.all([...probing, ...calling])
      kept.destroy()
    }
    assert.deepStrictEqual(failures, [])
    assert.isAbove(answered, 500)
  })
})
