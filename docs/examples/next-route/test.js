import assert from "node:assert/strict"
import { test } from "node:test"
import { POST } from "./app/api/ask/route.js"
import { billing } from "./lib/billing.js"

const ask = () =>
  POST(new Request("http://localhost/api/ask", { method: "POST", body: '{"customer":"acme","prompt":"hello"}' }))

test("a customer asks until its cap is reached", async () => {
  const first = await ask()
  assert.equal(first.status, 200)
  assert.equal((await first.json()).spentUsd, "0.01065")
  assert.equal((await ask()).status, 402)
  await (await billing()).close()
})
