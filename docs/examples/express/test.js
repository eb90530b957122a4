import assert from "node:assert/strict"
import { test } from "node:test"
import pg from "pg"
import { makeApp } from "./app.js"

test("a large bill is paid once somebody says so", async () => {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
  const { app, runs } = await makeApp(pool)
  const server = app.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const ask = async (method, path, body) => {
    const headers = { "content-type": "application/json" }
    const url = `http://127.0.0.1:${server.address().port}${path}`
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: response.status, ...(await response.json()) }
  }

  const { run } = await ask("POST", "/bills", { name: "power", cents: 20_000 })
  const waiting = { status: "waiting", question: "Pay 200 EUR for power?", result: null }
  assert.deepEqual(await (await fetch(`http://127.0.0.1:${server.address().port}/runs/${run}`)).json(), waiting)
  const { run: next } = await ask("POST", `/runs/${run}/reply`, { message: "yes" })
  assert.deepEqual((await ask("GET", `/runs/${next}`)).result, { paid: true })
  assert.equal((await ask("POST", `/runs/${run}/reply`, { message: "no" })).status, 409)
  assert.equal((await ask("GET", "/runs/nonsense")).status, 404)

  server.closeAllConnections()
  server.close()
  await runs.close()
  await pool.end()
})
