// A customer signs up: its row, its first API key and the run that welcomes it are one transaction.
import { fromKysely } from "@agent-platform/embed/clients"
import { createKeys } from "@agent-platform/embed/keys"
import { createRuns } from "@agent-platform/embed/runs"
import { CompiledQuery, Kysely, PostgresDialect } from "kysely"

/** `pool` is the pg.Pool that the service has anyway. */
export const makeSignUp = async (pool) => {
  const db = new Kysely({ dialect: new PostgresDialect({ pool }) })
  const keys = createKeys({ database: pool, scopes: ["read"] })
  const runs = createRuns({ database: pool, recipes: { welcome: async ({ name }) => `Welcome, ${name}` } })
  await keys.migrate()
  await runs.migrate()
  await runs.start()

  const signUp = (name) =>
    db.transaction().execute(async (trx) => {
      const client = fromKysely(trx, CompiledQuery)
      await trx.insertInto("customer").values({ name }).execute()
      const { value } = await keys.create(name, { name: "first", scopes: ["read"] }, { client })
      const run = await runs.trigger({ tenant: name, recipe: "welcome", input: { name } }, { client })
      if (name === "Mallory") throw new Error("Not you")
      return { value, runId: run.id }
    })
  return { keys, runs, signUp }
}
