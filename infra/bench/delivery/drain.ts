/** How fast one worker process empties a full queue, and what that costs. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { startApp, until } from "../../system/harness.ts"
import type { BenchDatabase } from "./database.ts"
import { processorSeconds, type Receiver } from "./processes.ts"
import { type BenchTenant, SECRETS_KEY, seedEvents } from "./tenants.ts"

/**
 * What draining came to. `perSecond` and `workerMicros` leave out the first tenth of the deliveries to healthy endpoints, in
 * which the worker gets warm, as the race of the client alone does.
 */
export interface Drained {
  readonly deliveries: number
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

/** Fills the queue, starts a worker, and waits until every delivery to a healthy endpoint was made. */
export const drain = async (
  database: BenchDatabase,
  receiver: Receiver,
  tenants: ReadonlyArray<BenchTenant>,
  eventsPerTenant: number
): Promise<Drained> => {
  await receiver.reset()
  await seedEvents(database.url, tenants, eventsPerTenant)
  const healthyIds = tenants.flatMap(({ endpoints }) =>
    endpoints.filter(({ url }) => url.includes("/ok/")).map(({ id }) => id)
  )
  const expected = eventsPerTenant * healthyIds.length
  await database.run(checkpoint)
  await database.forget()
  const before = await database.effort()
  const worker = await startApp("worker", database.url, { SECRETS_KEY, DATABASE_POOL_MAX: "10" })
  const warm = await until(
    "the first tenth is delivered",
    async () => {
      const count = await healthy(receiver)
      return count >= expected / 10 ? { count, cpu: processorSeconds(worker.pid), at: performance.now() } : undefined
    },
    60
  )
  await until("everything is delivered", async () => (await healthy(receiver)) >= expected || undefined, 600)
  const counted = expected - warm.count
  const seconds = (performance.now() - warm.at) / 1000
  await until("everything is settled", () => database.run(isSettled(healthyIds, expected)), 60)
  const after = await database.effort()
  const cpu = processorSeconds(worker.pid) - warm.cpu
  await worker.kill()
  return {
    deliveries: expected,
    perSecond: counted / seconds,
    statementsPerDelivery: (after.statements - before.statements) / expected,
    walBytesPerDelivery: (after.walBytes - before.walBytes) / expected,
    workerMicros: (cpu / counted) * 1e6,
    postgresMicros: ((after.processorSeconds - before.processorSeconds) / expected) * 1e6
  }
}
