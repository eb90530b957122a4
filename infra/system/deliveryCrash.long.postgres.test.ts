/** The crash harness of deliveries, shortened; `npm run test:crash:deliveries` runs it in full. */
import { assert, describe, it } from "vitest"
import { crashDeliveries } from "./deliveryCrash.ts"

describe("after kill -9 of the worker and of Postgres while deliveries drain", () => {
  it("no delivery is lost and nothing stays behind", async () => {
    const { duplicates, expected, kills, left, lost } = await crashDeliveries({
      rounds: 5,
      deliveries: 2_000,
      say: () => undefined
    })
    assert.deepStrictEqual(kills, { worker: 4, postgres: 1 })
    assert.deepStrictEqual({ lost, left }, { lost: 0, left: 0 })
    // At most what was in flight or not settled yet may come twice.
    assert.isBelow(duplicates, expected)
  })
})
