/** Adapters whose faults show only where transactions overlap: a suite that lets a fault through fails here. */
import { RollUpStore, UsageFeed } from "@agent-platform/billing"
import { rollUpContract, Zones } from "@agent-platform/billing/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { type Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { bite } from "../../kernel/test/bite.ts"
import { layerBilledRuns } from "./support/billedRuns.ts"
import { databaseLayer } from "./support/database.ts"
import { layerEndedRuns } from "./support/endedRuns.ts"
import { layerTenants } from "./support/tenants.ts"

const whole = Layer.mergeAll(layerTenants, layerBilledRuns, layerEndedRuns, Zones.layer).pipe(
  Layer.provideMerge(postgres),
  Layer.provideMerge(databaseLayer)
)

const breaking = <Self, Store extends object>(
  port: Context.Service<Self, Store>,
  broken: (store: Store, sql: SqlClient.SqlClient) => Partial<Store>
) =>
  Layer.provideMerge(
    Layer.effect(
      port,
      Effect.gen(function* () {
        const store = yield* port
        return { ...store, ...broken(store, yield* SqlClient.SqlClient) }
      })
    ),
    Layer.fresh(whole)
  ) as typeof whole

const AGREES = "say what the ledger says, after retries, crashes, roll-ups at once and transactions that commit late"

bite(
  "a feed that takes everything it sees for everything there is",
  () =>
    rollUpContract(
      "a broken feed",
      breaking(UsageFeed, ({ watermark }) => ({
        watermark: Effect.map(watermark, ({ at, open }) => ({ closed: open, open, at }))
      })),
      { acts: 60, seed: "late" }
    ),
  [AGREES]
)

bite(
  "a store that lets everybody roll up at once",
  () =>
    rollUpContract(
      "a broken store",
      breaking(RollUpStore, (store, sql) => ({
        hold: (options) =>
          Effect.gen(function* () {
            const held = yield* store.hold(options)
            // The lock is held for so long that others come meanwhile.
            if (held !== undefined) return yield* Effect.delay(Effect.succeed(held), "30 millis")
            if (options.quietSeconds > 0) return held
            const [row] = yield* Effect.orDie(
              sql<{ readonly calls_place: string | null; readonly runs_place: string | null }>`
                select calls_place, runs_place from roll_up_state
              `
            )
            return {
              calls: row?.calls_place ?? undefined,
              corrections: undefined,
              runs: row?.runs_place ?? undefined,
              asOf: DateTime.makeUnsafe(0),
              sample: undefined
            }
          })
      })),
      { acts: 60, seed: "at once" }
    ),
  [AGREES]
)
