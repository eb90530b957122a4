// A customer signs up: its row, its first API key and the run that welcomes it are one transaction of Prisma.
import { fromPrisma } from "@agent-platform/embed/clients"
import { createKeys } from "@agent-platform/embed/keys"
import { createRuns } from "@agent-platform/embed/runs"
import { PrismaPg } from "@prisma/adapter-pg"
import { PrismaClient } from "./generated/client.ts"

export const makeSignUp = async (database: string) => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: database }) })
  const keys = createKeys({ database, scopes: ["read"] })
  const welcome = async ({ name }: { name: string }) => `Welcome, ${name}`
  const runs = createRuns({ database, recipes: { welcome } })
  await keys.migrate()
  await runs.migrate()
  await runs.start()

  const signUp = (name: string) =>
    prisma.$transaction(async (tx) => {
      const client = fromPrisma(tx)
      await tx.customer.create({ data: { name } })
      const { value } = await keys.create(name, { name: "first", scopes: ["read"] }, { client })
      const run = await runs.trigger({ tenant: name, recipe: "welcome", input: { name } }, { client })
      if (name === "Mallory") throw new Error("Not you")
      return { value, runId: run.id }
    })
  return { keys, prisma, runs, signUp }
}
