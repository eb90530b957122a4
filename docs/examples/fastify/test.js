import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { test } from "node:test"
import pg from "pg"
import { makeApp } from "./app.js"

test("a customer makes an invoice by its key, and its receiver hears of it", async () => {
  const received = Promise.withResolvers()
  const receiver = createServer(async (request, response) => {
    let body = ""
    for await (const piece of request) body += piece
    response.end()
    received.resolve(JSON.parse(body))
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => receiver.once("listening", resolve))

  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
  const { app, keys } = await makeApp(pool, { secretsKey: randomBytes(32).toString("base64"), allowLoopback: true })
  const { value } = await keys.create("customer 7", { name: "CI", scopes: ["invoices:write", "hooks:write"] })
  const post = (url, payload, key = value) =>
    app.inject({ method: "POST", url, payload, headers: { authorization: `Bearer ${key}` } })

  assert.equal((await post("/invoices", { cents: 5 }, "acme_nonsense")).statusCode, 401)
  assert.equal((await post("/hooks", { url: `http://127.0.0.1:${receiver.address().port}/` })).statusCode, 200)
  assert.equal((await post("/invoices", { cents: 500 })).statusCode, 200)
  const event = await received.promise
  assert.equal(event.type, "invoice.made")
  assert.equal(event.data.cents, 500)

  await app.close()
  await pool.end()
  receiver.close()
})
