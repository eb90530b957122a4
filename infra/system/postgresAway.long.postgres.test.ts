/** Answers while Postgres is stopped and started again under load, and the fate of the runs. */
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type App, makeDatabase, startApi, startApp, startReceiver, until } from "./harness.ts"
import { startOwnPostgres } from "./ownPostgres.ts"

/** How long an answer may take that was not asked to wait, and what the machine's load may add. */
const ANSWER_SECONDS_MAX = 32

/** How soon after its return everything has to go on. */
const RECOVERY_SECONDS_MAX = 5

const CALLERS = 12

interface Answered {
  readonly what: string
  readonly status: number
  readonly code: unknown
  readonly retryAfter: string | null
  readonly endedAt: number
  readonly seconds: number
}

describe("a Postgres that goes away under load and comes back", () => {
  let postgres: Awaited<ReturnType<typeof startOwnPostgres>>
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let api: Awaited<ReturnType<typeof startApi>>
  let worker: App
  const closing: Array<() => Promise<unknown>> = []

  beforeAll(async () => {
    postgres = await startOwnPostgres()
    closing.push(postgres.stop)
    database = await makeDatabase(postgres.url)
    receiver = await startReceiver()
    closing.push(receiver.stop)
    ;[api, worker] = await Promise.all([startApi(database.url), startApp("worker", database.url)])
    closing.push(
      () => api.stop(),
      () => worker.stop()
    )
    await api.ask(database.credentials.org_key, "POST", "/api/v1/org/webhooks", { url: receiver.url })
  })

  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  it("costs them 503 with Retry-After, no 500 and no hanging, and everything goes on by itself", async () => {
    const { agent_id, workspace_key } = database.credentials
    const answers: Array<Answered> = []
    const accepted: Array<string> = []
    let going = true

    const ask = async (method: string, path: string, body?: unknown) => {
      const startedAt = performance.now()
      const response = await fetch(`http://127.0.0.1:${api.port}${path}`, {
        method,
        headers: { "x-api-key": workspace_key, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const json = (await response.json()) as Record<string, unknown>
      const endedAt = performance.now()
      answers.push({
        what: `${method} ${path.replace(/[0-9a-f-]{36}/, "…")}`,
        status: response.status,
        code: json["code"],
        retryAfter: response.headers.get("retry-after"),
        endedAt,
        seconds: (endedAt - startedAt) / 1000
      })
      return { status: response.status, json }
    }
    const call = async (turn: number) => {
      switch (turn % 4) {
        case 0: {
          const { json, status } = await ask("POST", "/api/v1/runs/", { agent_id, message: "hi" })
          if (status === 202) accepted.push(String(json["run_id"]))
          return
        }
        case 1:
          return ask("GET", `/api/v1/runs/${accepted.at(-1) ?? "none"}`)
        case 2:
          return ask("GET", "/api/v1/agents?limit=1")
        default:
          return ask("GET", "/readyz")
      }
    }
    const load = Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        // A pause, as callers make one: the load is there to be seen through, not to be measured.
        for (let turn = caller; going; turn++) {
          await call(turn)
          await setTimeout(20)
        }
      })
    )
    const someSucceed = (since: number) =>
      until("requests succeed", () => answers.find(({ endedAt, status }) => endedAt > since && status < 300))

    const returns: Array<number> = []
    for (const how of ["fast", "immediate"] as const) {
      await someSucceed(performance.now())
      await postgres.away(how)
      const goneAt = performance.now()
      await until("it is noticed", () => answers.find(({ endedAt, status }) => endedAt > goneAt && status === 503))
      await setTimeout(2_000)
      await postgres.back()
      const backAt = performance.now()
      await someSucceed(backAt)
      // All kinds of requests, and not one of them refused any more.
      await until("no request is refused any more", () => {
        const later = answers.filter(({ endedAt }) => endedAt > performance.now() - 1_000)
        const kinds = new Set(later.filter(({ status }) => status < 300).map(({ what }) => what))
        return kinds.size === 4 && later.every(({ status }) => status !== 503) ? true : undefined
      })
      const lastRefusal = Math.max(backAt, ...answers.flatMap((one) => (one.status === 503 ? [one.endedAt] : [])))
      returns.push((lastRefusal - backAt) / 1000)
    }
    going = false
    await load

    const counts = Map.groupBy(answers, ({ status }) => status)
    const slowest = Math.max(...answers.map(({ seconds }) => seconds))
    const slowestRefusal = Math.max(...(counts.get(503) ?? []).map(({ seconds }) => seconds))
    console.log(
      `Postgres was away twice under load: ${answers.length} requests, ` +
        `${[...counts].map(([status, all]) => `${all.length} × ${status}`).join(", ")}; the slowest took ` +
        `${slowest.toFixed(1)} s, the slowest 503 ${slowestRefusal.toFixed(1)} s; the last 503 came ` +
        `${returns.map((seconds) => seconds.toFixed(1)).join(" and ")} s after the return`
    )
    for (const answer of answers) {
      const shown = JSON.stringify(answer)
      assert.include([200, 202, 404, 503], answer.status, shown)
      if (answer.status === 404) assert.strictEqual(answer.what, "GET /api/v1/runs/none", shown)
      if (answer.status === 503) assert.isAtLeast(Number(answer.retryAfter), 1, shown)
    }
    assert.isAtMost(slowest, ANSWER_SECONDS_MAX)
    for (const seconds of returns) assert.isAtMost(seconds, RECOVERY_SECONDS_MAX)

    // Every accepted run is executed and reported.
    await until("every run has ended", async () => {
      const { body } = await api.ask(workspace_key, "GET", "/api/v1/runs/?status=queued&limit=1")
      const { body: running } = await api.ask(workspace_key, "GET", "/api/v1/runs/?status=running&limit=1")
      return [body, running].every(({ items }) => Array.isArray(items) && items.length === 0) ? true : undefined
    })
    await until("every run is reported", () => {
      const delivered = receiver.received.map(({ body }) => body).join("\n")
      return accepted.every((runId) => delivered.includes(runId)) ? true : undefined
    })
    assert.isNotEmpty(accepted)
  })
})
