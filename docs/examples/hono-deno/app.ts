// A service on Deno that reports while it works: the log of a run, as server-sent events that a browser can go on with.
import { createRuns, type RunContext } from "@agent-platform/embed/runs"
import { Hono } from "hono"
import { streamSSE } from "hono/streaming"

const count = async ({ to }: { to: number }, { log }: RunContext) => {
  for (let n = 1; n <= to; n++) await log(`Counted to ${n}`)
  return to
}

export const makeApp = async (database: string) => {
  const runs = createRuns({ database, recipes: { count } })
  await runs.migrate()
  await runs.start()

  const app = new Hono()
  app.post("/counts/:to", async (c) => {
    const { id } = await runs.trigger({ tenant: "acme", recipe: "count", input: { to: Number(c.req.param("to")) } })
    return c.json({ run: id }, 202)
  })
  app.get("/runs/:id/events", (c) => {
    // A browser that comes back says which event it saw last.
    const after = Number(c.req.header("last-event-id") ?? 0)
    return streamSSE(c, async (stream) => {
      for await (const { data, seq, type } of runs.events("acme", c.req.param("id"), { after })) {
        await stream.writeSSE({ id: String(seq), event: type, data: JSON.stringify(data) })
      }
    })
  })
  return { app, close: runs.close }
}
