import { assert, it } from "vitest"
import { startOwnPostgres } from "./ownPostgres.ts"
import { hasProxy, PROXIES } from "./proxies.ts"
import { restartRounds } from "./restartRounds.ts"

it("restarts of API, worker and scheduler behind HAProxy and nginx lose no request, run or event", async (context) => {
  const proxies = PROXIES.filter(hasProxy)
  for (const name of PROXIES) {
    if (!proxies.includes(name)) console.warn(`There is no ${name} on the PATH: its part of the test is left out`)
  }
  if (proxies.length === 0) return context.skip(`needs ${PROXIES.join(" or ")}`)
  const postgres = await startOwnPostgres()
  try {
    const account = await restartRounds(postgres.url, {
      restarts: 1,
      requests: 400,
      callers: 2,
      proxies,
      say: () => undefined
    })
    assert.deepStrictEqual(
      account.faults,
      Object.fromEntries(Object.keys(account.faults).map((fault) => [fault, 0])),
      JSON.stringify(account)
    )
    assert.isAbove(account.accepted, 50)
    assert.isAbove(account.deliveries, 50)
  } finally {
    await postgres.stop()
  }
}, 600_000)
