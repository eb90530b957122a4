/** How long it takes from the commit of an event to its arrival, at a steady rate. */
import { defineEvent, publish, UnitOfWork } from "@agent-platform/kernel"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { startApp } from "../../system/harness.ts"
import type { BenchDatabase, Effort } from "./database.ts"
import { machineSeconds, processorSeconds, type Receiver, TRUSTING } from "./processes.ts"
import { type BenchTenant, SECRETS_KEY } from "./tenants.ts"

/**
 * Milliseconds from when the publisher learnt that its transaction was committed to the receiver, over every delivery to a
 * healthy endpoint; and how busy the machine was meanwhile, in parts of all its processors. Where others take a part, or
 * nothing is left, the slowest tell of the machine: what waits for a processor is late wherever it is.
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

const quantile = (sorted: ReadonlyArray<number>, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Processor time so far, and the measurement's part of it. */
const work = (database: BenchDatabase) => ({
  ...machineSeconds(),
  own: processorSeconds(process.pid, true) + processorSeconds(database.pid(), true),
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
  const sorted = latencies.sort((a, b) => a - b)
  return {
    deliveries: sorted.length,
    ...worked,
    statements: (effort.statements - (effortBefore?.statements ?? 0)) / committed.size,
    postgresMicros: ((effort.processorSeconds - (effortBefore?.processorSeconds ?? 0)) * 1e6) / committed.size,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99)
  }
}
