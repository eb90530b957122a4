/** How fast one worker process empties a full queue, and what that costs. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { startApp, until } from "../../system/harness.ts"
import type { BenchDatabase } from "./database.ts"
import { processorSeconds, type Receiver, TRUSTING } from "./processes.ts"
import { WARM_UP } from "./sizes.ts"
import { type BenchTenant, SECRETS_KEY, seedEvents } from "./tenants.ts"

/** The result of a drain, without its beginning, in which the worker gets warm. */
export interface Drained {
  readonly perSecond: number
  readonly statementsPerDelivery: number
  readonly walBytesPerDelivery: number
  readonly workerMicros: number
  readonly postgresMicros: number
}

/** How long the warm-up may take, and then what is measured. */
const SECONDS_MAX = 600

const checkpoint = SqlClient.SqlClient.use((sql) => Effect.asVoid(sql`checkpoint`))

/** True once so many deliveries are delivered, else undefined, on which `until` asks again. */
const isSettled = (endpointIds: ReadonlyArray<string>, count: number) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly settled: number }>`
        select count(*)::int as settled from agent_platform.webhook_delivery
        where endpoint_id = any(${endpointIds}::uuid[]) and state = 'delivered'
      `,
      ([row]) => (row !== undefined && row.settled >= count ? true : undefined)
    )
  )

/**
 * Fills the queue, starts a worker, and waits until every delivery to a healthy endpoint was made. As many events as
 * `eventsPerTenant` says are measured, and `WARM_UP` times as many before them are not: a worker runs for weeks, and what its
 * compiler does in the first seconds is no part of its rate. The race of the client alone leaves out as much.
 */
export const drain = async (
  database: BenchDatabase,
  receiver: Receiver,
  tenants: ReadonlyArray<BenchTenant>,
  eventsPerTenant: number
): Promise<Drained> => {
  await receiver.reset()
  await seedEvents(database.url, tenants, (WARM_UP + 1) * eventsPerTenant)
  const healthyIds = tenants.flatMap(({ endpoints }) =>
    endpoints.filter(({ url }) => url.includes("/ok/")).map(({ id }) => id)
  )
  const measured = eventsPerTenant * healthyIds.length
  const expected = (WARM_UP + 1) * measured
  await database.run(checkpoint)
  await database.forget()
  const worker = await startApp("worker", database.url, { SECRETS_KEY, DATABASE_POOL_MAX: "10", ...TRUSTING })
  await receiver.reached(expected - measured, SECONDS_MAX)
  const warm = { at: performance.now(), cpu: processorSeconds(worker.pid), effort: await database.effort() }
  await receiver.reached(expected, SECONDS_MAX)
  const seconds = (performance.now() - warm.at) / 1000
  await until("everything is settled", () => database.run(isSettled(healthyIds, expected)), 60)
  const after = await database.effort()
  const cpu = processorSeconds(worker.pid) - warm.cpu
  await worker.kill()
  return {
    perSecond: measured / seconds,
    statementsPerDelivery: (after.statements - warm.effort.statements) / measured,
    walBytesPerDelivery: (after.walBytes - warm.effort.walBytes) / measured,
    workerMicros: (cpu / measured) * 1e6,
    postgresMicros: ((after.processorSeconds - warm.effort.processorSeconds) / measured) * 1e6
  }
}
