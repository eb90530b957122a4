/** How fast one worker process empties a full queue, and what that costs. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { startApp, until } from "../../system/harness.ts"
import type { BenchDatabase } from "./database.ts"
import { processorSeconds, type Receiver } from "./processes.ts"
import { type BenchTenant, SECRETS_KEY, seedEvents } from "./tenants.ts"

/** What draining came to, without the first half of it, in which the worker gets warm. */
export interface Drained {
  readonly perSecond: number
  readonly statementsPerDelivery: number
  readonly walBytesPerDelivery: number
  readonly workerMicros: number
  readonly postgresMicros: number
}

const healthy = async (receiver: Receiver) => {
  const tallies = Object.entries(await receiver.tallies()).filter(([path]) => path.startsWith("/ok"))
  return tallies.reduce((sum, [, tally]) => sum + tally.events, 0)
}

const checkpoint = SqlClient.SqlClient.use((sql) => Effect.asVoid(sql`checkpoint`))

const isSettled = (endpointIds: ReadonlyArray<string>, count: number) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly settled: number }>`
        select count(*)::int as settled from webhook_delivery
        where endpoint_id = any(${endpointIds}::uuid[]) and state = 'delivered'
      `,
      ([row]) => (row !== undefined && row.settled >= count ? true : undefined)
    )
  )

/**
 * Fills the queue, starts a worker, and waits until every delivery to a healthy endpoint was made. As many events as
 * `eventsPerTenant` says are measured, and as many before them are not: a worker runs for weeks, and what its compiler does
 * in the first seconds is no part of its rate. The race of the client alone leaves out as much.
 */
export const drain = async (
  database: BenchDatabase,
  receiver: Receiver,
  tenants: ReadonlyArray<BenchTenant>,
  eventsPerTenant: number
): Promise<Drained> => {
  await receiver.reset()
  await seedEvents(database.url, tenants, 2 * eventsPerTenant)
  const healthyIds = tenants.flatMap(({ endpoints }) =>
    endpoints.filter(({ url }) => url.includes("/ok/")).map(({ id }) => id)
  )
  const measured = eventsPerTenant * healthyIds.length
  const expected = 2 * measured
  await database.run(checkpoint)
  await database.forget()
  const worker = await startApp("worker", database.url, { SECRETS_KEY, DATABASE_POOL_MAX: "10" })
  const warm = await until(
    "the first half is delivered",
    async () => {
      const count = await healthy(receiver)
      if (count < measured) return undefined
      const [at, cpu] = [performance.now(), processorSeconds(worker.pid)]
      return { count, at, cpu, effort: await database.effort() }
    },
    600
  )
  await until("everything is delivered", async () => (await healthy(receiver)) >= expected || undefined, 600)
  const counted = expected - warm.count
  const seconds = (performance.now() - warm.at) / 1000
  await until("everything is settled", () => database.run(isSettled(healthyIds, expected)), 60)
  const after = await database.effort()
  const cpu = processorSeconds(worker.pid) - warm.cpu
  await worker.kill()
  return {
    perSecond: counted / seconds,
    statementsPerDelivery: (after.statements - warm.effort.statements) / counted,
    walBytesPerDelivery: (after.walBytes - warm.effort.walBytes) / counted,
    workerMicros: (cpu / counted) * 1e6,
    postgresMicros: ((after.processorSeconds - warm.effort.processorSeconds) / counted) * 1e6
  }
}
