/** How long it takes from the commit of an event to its arrival, at a steady rate. */
import { defineEvent, publish, UnitOfWork } from "@agent-platform/kernel"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { startApp } from "../../system/harness.ts"
import { percentile } from "../measure.ts"
import type { BenchDatabase, Effort } from "./database.ts"
import { machineSeconds, processorSeconds, type Receiver, TRUSTING } from "./processes.ts"
import { type BenchTenant, SECRETS_KEY } from "./tenants.ts"

/**
 * Milliseconds from when the publisher learnt of its commit until the event arrived, over every delivery to a healthy endpoint.
 * `busy` is the share of all processors that worked meanwhile, `busyWithOthers` the part of it that was not the measurement's.
 * Where either is high, the slowest deliveries tell of the machine, on which everything waits for a processor.
 */
export interface Latency {
  readonly deliveries: number
  readonly busy: number
  readonly busyWithOthers: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Statements for each event, and processor time of Postgres. */
  readonly statements: number
  readonly postgresMicros: number
}

const runSucceeded = defineEvent({
  type: "run.succeeded",
  when: "A run finished",
  data: Schema.Struct({ note: Schema.String }),
  sample: () => ({ note: "" })
})

/** How long the first events are left out: connections open and code warms up. */
const WARM_UP_SECONDS = 10

/** How long the last events get to arrive. */
const LAST_SECONDS = 3

const now = () => performance.timeOrigin + performance.now()
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Processor time of the machine so far, and `own`, the measurement's part of it. */
const work = (database: BenchDatabase) => ({
  ...machineSeconds(),
  own: processorSeconds(process.pid, { withChildren: true }) + processorSeconds(database.pid(), { withChildren: true }),
  atSeconds: now() / 1000
})

type Work = ReturnType<typeof work>

const share = (before: Work, after: Work) => {
  const available = (after.atSeconds - before.atSeconds) * after.processors
  const worked = after.worked - before.worked
  const own = after.own - before.own
  return { busy: worked / available, busyWithOthers: Math.max(0, worked - own) / available }
}

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
    postgres.pipe(Layer.provideMerge(layerCrypto), Layer.provideMerge(layerClient({ url, maxConnections: 8 })))
  )
  const worker = await startApp("worker", database.url, { SECRETS_KEY, ...TRUSTING })
  const committed = new Map<string, number>()
  const emit = async (tenant: BenchTenant, isCounted: boolean) => {
    const about = { organizationId: tenant.organizationId, workspaceId: null }
    // So long that the body has about `BODY_BYTES`.
    const publishing = UnitOfWork.use((unit) => unit.atomic(publish(runSucceeded, about, { note: "x".repeat(560) })))
    const id = await emitter.runPromise(publishing)
    if (isCounted) committed.set(id, now())
  }
  const begun = now()
  const emits: Array<Promise<void>> = []
  let before: Work | undefined
  let effortBefore: Effort | undefined
  for (let index = 0; ; index++) {
    const due = begun + (index * 1000) / rate
    if (due > begun + (seconds + WARM_UP_SECONDS) * 1000) break
    await pause(Math.max(0, due - now()))
    const tenant = tenants[index % tenants.length]
    const isCounted = due > begun + WARM_UP_SECONDS * 1000
    if (isCounted && before === undefined) {
      before = work(database)
      effortBefore = await database.effort()
    }
    if (tenant !== undefined) emits.push(emit(tenant, isCounted))
  }
  await Promise.all(emits)
  const effort = await database.effort()
  const worked = share(before ?? work(database), work(database))
  await pause(LAST_SECONDS * 1000)
  const latencies = (await receiver.arrivals()).flatMap(([, eventId, at]) => {
    const from = committed.get(eventId)
    return from === undefined ? [] : [at - from]
  })
  await worker.kill()
  await emitter.dispose()
  if (latencies.length === 0) throw new Error("Nothing came to the receiver")
  return {
    deliveries: latencies.length,
    ...worked,
    statements: (effort.statements - (effortBefore?.statements ?? 0)) / committed.size,
    postgresMicros: ((effort.processorSeconds - (effortBefore?.processorSeconds ?? 0)) * 1e6) / committed.size,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99)
  }
}
