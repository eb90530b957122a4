import assert from "node:assert/strict"
import { test } from "node:test"
import pg from "pg"
import { makeSignUp } from "./signUp.js"

test("a customer is there with its key and its run, or not at all", async () => {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
  await pool.query("create table customer (name text not null)")
  const { keys, runs, signUp } = await makeSignUp(pool)

  const { runId, value } = await signUp("Ada")
  assert.equal((await keys.verify(value)).tenant, "Ada")
  assert.equal((await runs.wait("Ada", runId)).result, "Welcome, Ada")

  await assert.rejects(signUp("Mallory"), /Not you/)
  assert.deepEqual((await keys.list("Mallory")).items, [])
  assert.deepEqual((await runs.list("Mallory")).items, [])
  assert.equal((await pool.query("select from customer")).rowCount, 1)

  await runs.close()
  await keys.close()
  await pool.end()
})
