/** Jobs by the clock that workers do. */
import { Billing } from "@agent-platform/billing"
import { parseId } from "@agent-platform/kernel"
import { ProviderKeyId, ProviderKeys, sealedProviderKeys } from "@agent-platform/keys"
import { Schedules } from "@agent-platform/runs"
import { Effect } from "effect"
import { countSealed, seenOf } from "./resealAll.ts"
import { resealSecrets, SEALED_STORES } from "./resealSecrets.ts"
import { counted, JobUnderWay, reportProgress, type ScheduledJob, scheduledKind } from "./ScheduledJob.ts"

/** The ports of the workers' jobs. */
export type WorkerJobPorts = ProviderKeys | Billing | Schedules | Effect.Services<ReturnType<typeof resealSecrets>>

/**
 * Jobs that open secrets, send requests, settle model calls or make runs, for which the workers have the keys, the egress and the
 * recipes.
 */
export const WORKER_JOBS: ReadonlyArray<ScheduledJob<WorkerJobPorts>> = [
  {
    kind: scheduledKind("runs.fire_schedules"),
    cron: "* * * * *",
    does: "Makes the runs of schedules that are due",
    run: counted(
      Schedules.use((schedules) => schedules.fireSchedules()),
      (count) => `Made ${count} runs of schedules`
    )
  },
  {
    kind: scheduledKind("billing.expire_reservations"),
    // A lost call holds back spending that the workspace could use.
    cron: "*/5 * * * *",
    does: "Settles model calls that nobody has settled, as what was held back for them",
    run: counted(
      Billing.use((billing) => billing.expireReservations()),
      (count) => `Settled ${count} model calls that nobody had settled`
    )
  },
  {
    kind: scheduledKind("billing.prepare_ledger"),
    cron: "23 2 * * *",
    does: "Makes partitions of the ledger for the months to come",
    run: Effect.as(
      Billing.use((billing) => billing.prepareLedger()),
      "The ledger is prepared for the calls of this month and the next two"
    )
  },
  {
    kind: scheduledKind("provider_keys.probe"),
    cron: "41 */6 * * *",
    does: "Asks the providers about provider keys that were not in use lately, and makes fingerprints that are missing",
    run: Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const { cursor } = yield* JobUnderWay
      const itemsTotal = yield* countSealed([yield* sealedProviderKeys], cursor ?? undefined)
      const { asked, fresh, invalidated, recovered, undecided, unreadable } = yield* keys.probeProviderKeys({
        after: cursor === null ? undefined : parseId(ProviderKeyId, cursor),
        onPage: (itemsDone, last) => reportProgress({ itemsDone, itemsTotal, cursor: last })
      })
      return (
        `Asked about ${asked} provider keys: ${invalidated} are refused, ${recovered} are taken again, ` +
        `${undecided} could not be asked about; ${fresh} were in use lately, ${unreadable} do not open`
      )
    })
  },
  {
    kind: scheduledKind("secrets.reseal"),
    cron: "23 4 * * 0",
    does: "Seals every secret under the first key of SECRETS_KEY",
    run: Effect.gen(function* () {
      const itemsTotal = yield* countSealed(yield* Effect.all(SEALED_STORES))
      const seen = new Map<string, number>()
      const stores = yield* resealSecrets({
        dryRun: false,
        onProgress: (store) => {
          seen.set(store.name, seenOf(store))
          const itemsDone = [...seen.values()].reduce((sum, count) => sum + count, 0)
          return reportProgress({ itemsDone, itemsTotal, cursor: null })
        }
      })
      const total = (count: "current" | "resealed" | "unreadable") =>
        stores.reduce((sum, store) => sum + store[count], 0)
      return (
        `Sealed ${total("resealed")} secrets again; ${total("current")} were under the current key, ` +
        `${total("unreadable")} do not open`
      )
    })
  }
]
