import assert from "node:assert/strict"
import { test } from "node:test"
import { makeSignUp } from "./signUp.ts"

test("a customer is there with its key and its run, or not at all", async () => {
  const { keys, prisma, runs, signUp } = await makeSignUp(process.env["DATABASE_URL"] ?? "")
  await prisma.$executeRaw`create table customer (name text primary key)`

  const { runId, value } = await signUp("Ada")
  const found = await keys.verify(value)
  assert.equal(found.valid && found.tenant, "Ada")
  assert.equal((await runs.wait("Ada", runId)).result, "Welcome, Ada")

  await assert.rejects(signUp("Mallory"), /Not you/)
  assert.deepEqual((await keys.list("Mallory")).items, [])
  assert.deepEqual((await runs.list("Mallory")).items, [])
  assert.equal(await prisma.customer.count(), 1)

  await runs.close()
  await keys.close()
  await prisma.$disconnect()
})
