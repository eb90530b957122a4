import { assert, it } from "vitest"
import { crashRounds } from "./crashRounds.ts"
import { startOwnPostgres } from "./ownPostgres.ts"

it("after kill -9 of workers, API and Postgres at random moments every run ends once and is reported once", async () => {
  const postgres = await startOwnPostgres()
  try {
    const account = await crashRounds(4, { postgresUrl: postgres.url, postgresPid: postgres.pid, say: () => undefined })
    assert.deepStrictEqual(
      account.faults,
      Object.fromEntries(Object.keys(account.faults).map((fault) => [fault, 0])),
      JSON.stringify(account)
    )
    assert.isAtLeast(account.accepted, 24)
    assert.isAtLeast(Math.min(...Object.values(account.kills)), 1)
  } finally {
    await postgres.stop()
  }
})
