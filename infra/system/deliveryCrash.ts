/** kill -9 of the delivery worker and of Postgres, again and again while deliveries drain: what is lost, what comes twice. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { prepare } from "../../apps/admin/src/prepare.ts"
import { startReceiver } from "../bench/delivery/processes.ts"
import { type BenchTenant, deliveryCounts, makeTenant, SECRETS_KEY, seedEvents } from "../bench/delivery/tenants.ts"
import { startEmbeddedPostgres } from "../local/EmbeddedPostgres.ts"
import { startApp, until } from "./harness.ts"

/** How a run of the harness goes. */
export interface CrashOptions {
  readonly rounds: number
  /** Of all rounds together, each of which begins with its share. */
  readonly deliveries: number
  readonly say: (line: string) => void
}

/** The outcome. */
export interface CrashResult {
  readonly kills: { readonly worker: number; readonly postgres: number }
  readonly expected: number
  /** Deliveries that no receiver ever got, or that the database does not have as delivered. */
  readonly lost: number
  /** Requests beyond one for each delivery. */
  readonly duplicates: number
  /** Events that are still in the queue, and deliveries still pending, after everything was delivered. */
  readonly left: number
}

const ORGANIZATIONS = 5
const ENDPOINTS_EACH = 2

/** One kill in so many is of Postgres, which everybody is connected to; the others are of the worker. */
const POSTGRES_EVERY = 5

/** Makes deliveries, kills processes as asked, and then waits until everything has arrived. */
export const crashDeliveries = async ({ deliveries, rounds, say }: CrashOptions): Promise<CrashResult> => {
  const home = mkdtempSync(join(tmpdir(), "agent-platform-delivery-crash-"))
  // Started by root, Postgres runs as another user, which has to pass through this folder.
  chmodSync(home, 0o711)
  const postgres = await startEmbeddedPostgres({ dataDir: home, say: () => undefined })
  const receiver = await startReceiver()
  let worker: Awaited<ReturnType<typeof startApp>> | undefined
  try {
    await prepare({
      databaseUrl: postgres.appUrl,
      databaseOwnerUrl: postgres.ownerUrl,
      secretsKey: SECRETS_KEY,
      known: null
    })
    const tenants: Array<BenchTenant> = []
    for (let index = 0; index < ORGANIZATIONS; index++) {
      const urls = Array.from({ length: ENDPOINTS_EACH }, (_, place) => receiver.url("ok", index * 10 + place))
      tenants.push(await makeTenant(postgres.appUrl, urls))
    }
    const eventsEach = Math.max(1, Math.round(deliveries / rounds / (ORGANIZATIONS * ENDPOINTS_EACH)))
    const expected = eventsEach * rounds * ORGANIZATIONS * ENDPOINTS_EACH
    const seen = async () => {
      const tallies = Object.values(await receiver.tallies())
      const sum = (of: (tally: (typeof tallies)[number]) => number) => tallies.reduce((all, one) => all + of(one), 0)
      return { events: sum((tally) => tally.events), requests: sum((tally) => tally.requests) }
    }
    const kills = { worker: 0, postgres: 0 }
    for (let round = 1; round <= rounds; round++) {
      await until("Postgres takes events", () =>
        seedEvents(postgres.appUrl, tenants, eventsEach).catch(() => undefined)
      )
      worker ??= await startApp("worker", postgres.appUrl, { SECRETS_KEY })
      // The kill comes after a random part of the round's deliveries. That is looked for every 15 ms: less often it would be missed.
      const { events } = await seen()
      const enough = events + 1 + Math.random() * eventsEach * tenants.length * ENDPOINTS_EACH
      const goal = Math.min(enough, eventsEach * round * tenants.length * ENDPOINTS_EACH)
      await until("enough is delivered", async () => (await seen()).events >= goal || undefined, 120, 15)
      if (round % POSTGRES_EVERY === 0) {
        process.kill(postgres.pid(), "SIGKILL")
        kills.postgres++
      } else {
        await worker.kill()
        worker = undefined
        kills.worker++
      }
      if (round % 10 === 0) {
        const now = await seen()
        say(
          `round ${round}: ${now.events} of ${eventsEach * round * ORGANIZATIONS * ENDPOINTS_EACH} delivered, ${now.requests - now.events} twice`
        )
      }
    }
    worker ??= await startApp("worker", postgres.appUrl, { SECRETS_KEY })
    await until("everything is delivered", async () => (await seen()).events >= expected || undefined, 900).catch(say)
    const counts = await until(
      "everything is settled",
      async () => {
        const found = await deliveryCounts(postgres.url).catch(() => undefined)
        return found !== undefined && found.pending + found.undispatched === 0 ? found : undefined
      },
      60
    ).catch(() => deliveryCounts(postgres.url))
    const { events, requests } = await seen()
    // Counted in the database: seeding that a kill of Postgres interrupted was repeated, and may have made more than `expected`.
    const stored = counts.events * ENDPOINTS_EACH
    return {
      kills,
      expected: stored,
      lost: stored - Math.min(events, counts.delivered),
      duplicates: requests - events,
      left: counts.pending + counts.undispatched
    }
  } finally {
    await worker?.kill()
    receiver.stop()
    await postgres.stop("immediate")
    rmSync(home, { recursive: true, force: true })
  }
}
