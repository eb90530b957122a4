// A service that pays bills, and asks before it pays a large one. What it is in the middle of survives a restart.
import { createRuns } from "@agent-platform/embed/runs"
import express from "express"

/** Executed by a worker. After a question it is called again from its beginning, and `ask` answers what was replied. */
const pay = async ({ bill, cents }, { ask, log }) => {
  if (cents > 10_000) {
    const { message } = await ask(`Pay ${cents / 100} EUR for ${bill}?`)
    if (message !== "yes") return { paid: false }
  }
  await log("Paying", { bill, cents })
  return { paid: true }
}

/** `pool` is the pg.Pool that the service has anyway. */
export const makeApp = async (pool) => {
  const runs = createRuns({ database: pool, recipes: { pay } })
  await runs.migrate()
  await runs.start()
  await pool.query("create table if not exists bill (name text not null, cents int not null)")

  const app = express().use(express.json())
  app.post("/bills", async ({ body: { cents, name } }, response) => {
    const client = await pool.connect()
    try {
      // The bill and its run are one transaction. The run begins within milliseconds of the commit.
      await client.query("begin")
      await client.query("insert into bill (name, cents) values ($1, $2)", [name, cents])
      const run = await runs.trigger({ tenant: "acme", recipe: "pay", input: { bill: name, cents } }, { client })
      await client.query("commit")
      response.status(202).json({ run: run.id })
    } catch (error) {
      await client.query("rollback")
      throw error
    } finally {
      client.release()
    }
  })
  app.get("/runs/:id", async ({ params }, response) => {
    const { question, result, status } = await runs.wait("acme", params.id, { seconds: 20 })
    response.json({ status, question: question?.message, result })
  })
  app.post("/runs/:id/reply", async ({ body, params }, response) => {
    const { id } = await runs.reply("acme", params.id, { message: body.message })
    response.status(202).json({ run: id })
  })
  // Refusals of an entry point have stable codes.
  app.use((error, _request, response, next) => {
    if (error.code === "run_not_found") return response.status(404).json({ error: error.message })
    if (error.code === "question_answered") return response.status(409).json({ error: error.message })
    next(error)
  })
  return { app, runs }
}
