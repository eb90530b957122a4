/** An API and workers that are killed, and what becomes of their work. */
import { assert } from "vitest"
import { type Answer, makeDatabase, type Received, startApi, startApp, startReceiver, until } from "./harness.ts"

export const secondsSince = (millis: number): string => ((Date.now() - millis) / 1000).toFixed(1)

export const eventIdOf = ({ headers }: Received) => headers["x-service-event-id"]

/** An API, and workers as they are needed, over a database of their own. */
export const aPlatform = async (adminUrl: string) => {
  const database = await makeDatabase(adminUrl)
  const api = await startApi(database.url)
  let answer: Answer = () => 200
  const receiver = await startReceiver((number, body) => answer(number, body))
  const { agent_id, org_key, workspace_key } = database.credentials
  await api.ask(org_key, "POST", "/api/v1/org/webhooks", { url: receiver.url })
  const apps: Array<{ readonly kill: () => Promise<void> }> = [api]
  const startWorker = async () => {
    const worker = await startApp("worker", database.url)
    apps.push(worker)
    return worker
  }
  let alive: ReturnType<typeof startWorker> | undefined
  return {
    database,
    api,
    receiver,
    /** The one worker that is there, which is started if there is none. */
    worker: () => {
      alive ??= startWorker()
      return alive
    },
    /** Starts the worker that is there from now on, beside the one before. */
    startNext: () => {
      alive = startWorker()
      return alive
    },
    /** Has the receiver answer otherwise from now on. */
    answerBy: (by: Answer) => {
      answer = by
    },
    /** Triggers a run as callers do: one that cannot be accepted for the moment is asked for again. */
    trigger: (input: unknown, more: Record<string, unknown> = {}) =>
      until("a run is accepted", async () => {
        const { body, status } = await api.ask(workspace_key, "POST", "/api/v1/runs/", { agent_id, input, ...more })
        if (status === 503) return undefined
        assert.strictEqual(status, 202, JSON.stringify(body))
        return String(body.run_id)
      }),
    ended: (runId: string) =>
      until(`run ${runId} ends`, async () => {
        const { body, status } = await api.ask(workspace_key, "GET", `/api/v1/runs/${runId}`)
        return status === 200 && body.status !== "queued" && body.status !== "running" ? body : undefined
      }),
    /** The ids of the events that arrived about a run. */
    eventsAbout: (runId: string) => receiver.received.filter(({ body }) => body.includes(runId)).map(eventIdOf),
    close: async () => {
      await Promise.all(apps.map((app) => app.kill()))
      await receiver.stop()
      await database.drop()
    }
  }
}
