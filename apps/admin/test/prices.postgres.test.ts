/** Prices that the operator sets. */
import { PriceOverrideId } from "@agent-platform/billing"
import { anId } from "@agent-platform/kernel/testing"
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { admin, bootstrapped, layer, printed, refused } from "./operating.ts"

const MODEL = ["--provider", "acme", "--model", "acme-large"]
const RATES = ["--input-usd", "1.5", "--output-usd", "6"]

suite(layer, { excludeTestServices: true })("the operator's prices", (it) => {
  it.effect("are everybody's, or one workspace's with an entry in its activity; listed, and removed once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { organization_id, workspace_id } = yield* bootstrapped
      const owner = ["--organization", organization_id, "--workspace", workspace_id]
      const from = "2026-12-01T01:00:00+01:00"
      const everybodys = yield* printed("prices", "set", ...MODEL, ...RATES, "--cache-read-usd", "0.15", "--from", from)
      assert.deepStrictEqual(everybodys, {
        id: everybodys.id,
        workspace_id: null,
        provider: "acme",
        model: "acme-large",
        input_usd: "1.50",
        cache_read_usd: "0.15",
        cache_write_usd: null,
        output_usd: "6.00",
        effective_from: "2026-12-01T00:00:00.000Z"
      })
      const own = yield* printed("prices", "set", ...owner, ...MODEL, ...RATES)
      assert.strictEqual(own.workspace_id, workspace_id)
      assert.deepStrictEqual((yield* printed("prices", "list", "--json")).items, [everybodys])
      assert.deepStrictEqual((yield* printed("prices", "list", ...owner, "--json")).items, [own])
      assert.deepStrictEqual(yield* printed("prices", "remove", "--price", own.id), own)
      assert.match((yield* admin("prices", "list", ...owner)).out, /None/)
      const again = yield* refused("prices", "remove", "--price", own.id)
      assert.strictEqual(again, "admin: There is no such price, or it was removed before")
      const acts = yield* sql<{ readonly action: string }>`
        select action from activity where workspace_id = ${workspace_id} and resource_type = 'price' order by id
      `
      assert.deepStrictEqual(
        acts.map(({ action }) => action),
        ["price.set", "price.removed"]
      )
    })
  )

  it.effect("are not set for half an owner, another organization's workspace, or what is no amount", () =>
    Effect.gen(function* () {
      const [mine, foreign] = [yield* bootstrapped, yield* bootstrapped]
      const half = yield* refused("prices", "set", "--workspace", mine.workspace_id, ...MODEL, ...RATES)
      assert.match(half, /both --organization and --workspace/)
      const other = ["--organization", foreign.organization_id, "--workspace", mine.workspace_id]
      assert.match(yield* refused("prices", "set", ...other, ...MODEL, ...RATES), /There is no such workspace/)
      for (const rates of [
        ["--input-usd", "1e3", "--output-usd", "1"],
        ["--input-usd", "-1", "--output-usd", "1"],
        ["--input-usd", "1"]
      ]) {
        assert.notStrictEqual((yield* admin("prices", "set", ...MODEL, ...rates)).code, 0)
      }
      assert.match(yield* refused("prices", "remove", "--price", anId(PriceOverrideId)), /There is no such price/)
    })
  )
})
