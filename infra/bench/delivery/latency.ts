/** How long it takes from the commit of an event to its arrival, at a steady rate. */
import { defineEvent, publish, UnitOfWork } from "@agent-platform/kernel"
import { Boss, PgBossJobQueue } from "@agent-platform/pg-boss"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { startApp } from "../../system/harness.ts"
import type { BenchDatabase } from "./database.ts"
import type { Receiver } from "./processes.ts"
import { type BenchTenant, SECRETS_KEY } from "./tenants.ts"

/** Milliseconds from commit to receiver, over every delivery to a healthy endpoint. */
export interface Latency {
  readonly deliveries: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

const runSucceeded = defineEvent("run.succeeded", Schema.Struct({ note: Schema.String }))

/** How long the first events are left out: connections open and code warms up. */
const WARM_UP_SECONDS = 10

/** How long the last events get to arrive. */
const LAST_SECONDS = 3

const now = () => performance.timeOrigin + performance.now()
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const quantile = (sorted: ReadonlyArray<number>, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Publishes `rate` events a second, spread over the tenants, for `seconds`, with one worker running. */
export const measureLatency = async (
  database: BenchDatabase,
  receiver: Receiver,
  tenants: ReadonlyArray<BenchTenant>,
  { rate, seconds }: { readonly rate: number; readonly seconds: number }
): Promise<Latency> => {
  await receiver.reset()
  const url = Redacted.make(database.url)
  const emitter = ManagedRuntime.make(
    PgBossJobQueue.layer.pipe(
      Layer.provide(Boss.layer({ url })),
      Layer.provideMerge(postgres),
      Layer.provideMerge(layerCrypto),
      Layer.provideMerge(layerClient({ url, maxConnections: 8 }))
    )
  )
  const worker = await startApp("worker", database.url, { SECRETS_KEY })
  const committed = new Map<string, number>()
  const emit = async (tenant: BenchTenant, isCounted: boolean) => {
    const about = { organizationId: tenant.organizationId, workspaceId: null }
    const publishing = UnitOfWork.use((unit) => unit.atomic(publish(runSucceeded, about, { note: "x".repeat(560) })))
    const id = await emitter.runPromise(publishing)
    if (isCounted) committed.set(id, now())
  }
  const begun = now()
  const emits: Array<Promise<void>> = []
  for (let index = 0; ; index++) {
    const due = begun + (index * 1000) / rate
    if (due > begun + (seconds + WARM_UP_SECONDS) * 1000) break
    await pause(Math.max(0, due - now()))
    const tenant = tenants[index % tenants.length]
    if (tenant !== undefined) emits.push(emit(tenant, due > begun + WARM_UP_SECONDS * 1000))
  }
  await Promise.all(emits)
  await pause(LAST_SECONDS * 1000)
  const latencies = (await receiver.arrivals()).flatMap(([, eventId, at]) => {
    const from = committed.get(eventId)
    return from === undefined ? [] : [at - from]
  })
  await worker.kill()
  await emitter.dispose()
  const sorted = latencies.sort((a, b) => a - b)
  return {
    deliveries: sorted.length,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99)
  }
}
