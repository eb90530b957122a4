/** Stores of roll-ups that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { type RollUpDeltas, RollUpStore, UsageFeed, UsageReadings } from "@agent-platform/billing"
import { layer as stores } from "@agent-platform/billing/memory"
import { EndedRuns, rollUpContract, Zones } from "@agent-platform/billing/testing"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { type Context, Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

const memory = Layer.mergeAll(
  Layer.provideMerge(Layer.merge(stores, EndedRuns.layerMemory), kernel),
  Tenants.layerUnfounded,
  Layer.succeed(TransactionsOverlap, false),
  Zones.layer
)

/** Everything in memory, with some methods of one port replaced. */
const breaking = <Self, Store extends object>(
  port: Context.Service<Self, Store>,
  broken: (store: Store) => Partial<Store>
) =>
  Layer.provideMerge(
    Layer.effect(
      port,
      Effect.map(port, (store) => ({ ...store, ...broken(store) }))
    ),
    Layer.fresh(memory)
  ) as typeof memory

const contract = (layer: typeof memory) => rollUpContract("a broken store", layer, { acts: 30, seed: "broken" })

const AGREES = "say what the ledger says, after retries, crashes, roll-ups at once and transactions that commit late"
const OF_A_RUN = "answer of a run what its calls cost, and page by page what they were"
const FINAL = "leave a final day as it was, and show what comes later as an adjustment of it"
const CORRECTED =
  "show a price that is corrected in what the run and the workspace used, and as an adjustment of a final day"
const ONE = "are made by one of all who try, and not again for a while if they are asked to be quiet"
const ZONE = "keep the zone of a month that something has happened in"

bite("a store that adds outside of the transaction's fate", () => {
  let unsaved: ReadonlyArray<RollUpDeltas> = []
  return contract(
    breaking(RollUpStore, ({ add, save }) => ({
      add: (deltas) =>
        Effect.suspend(() => {
          unsaved = [...unsaved, deltas]
          return Effect.forEach(unsaved, add, { discard: true })
        }),
      save: (state) =>
        Effect.suspend(() => {
          unsaved = []
          return save(state)
        })
    }))
  )
}, [AGREES])

bite(
  "a feed that gives the last row of a portion again",
  () =>
    contract(
      breaking(UsageFeed, ({ calls }) => ({
        calls: (request) =>
          Effect.map(calls(request), (portion) =>
            portion.next === request.after || request.limit < 7
              ? portion
              : { ...portion, next: String(Number(portion.next) - 1), reached: portion.reached }
          )
      }))
    ),
  [AGREES, CORRECTED]
)

bite(
  "a store that counts what is late as if it were not",
  () =>
    contract(
      breaking(RollUpStore, ({ add }) => ({
        add: (deltas) =>
          add({
            ...deltas,
            days: deltas.days.map((day) => ({
              ...day,
              platformCostUsd: day.revision > 0 ? day.adjustmentsUsd : day.platformCostUsd,
              adjustmentsUsd: day.revision > 0 ? "0.00" : day.adjustmentsUsd
            }))
          })
      }))
    ),
  [FINAL, CORRECTED]
)

bite(
  "a store that is never quiet",
  () => contract(breaking(RollUpStore, ({ hold }) => ({ hold: () => hold({ quietSeconds: 0 }) }))),
  [ONE]
)

bite(
  "a store that forgets the zone that a month had",
  () =>
    contract(
      breaking(RollUpStore, ({ months }) => ({
        months: (workspaceIds, span) =>
          Effect.map(months(workspaceIds, span), (kept) => kept.map((month) => ({ ...month, timezone: "UTC" })))
      }))
    ),
  [AGREES, ZONE]
)

bite(
  "readings that mix providers",
  () =>
    contract(
      breaking(UsageReadings, ({ usage }) => ({
        usage: (spans, { filter, groupBy }) => usage(spans, { filter: { ...filter, provider: undefined }, groupBy })
      }))
    ),
  [AGREES]
)

bite(
  "readings by labels that count a call once, however many tags its run has",
  () =>
    contract(
      breaking(UsageReadings, ({ labelled }) => ({
        labelled: (workspaceIds, span, options) =>
          Effect.map(labelled(workspaceIds, span, options), (groups) =>
            options.groupBy.includes("tag") ? groups.filter(({ keys }) => !keys.includes("beta")) : groups
          )
      }))
    ),
  [AGREES]
)

bite(
  "hours that have the durations of another hour",
  () =>
    contract(
      breaking(UsageReadings, ({ hours }) => ({
        hours: (workspaceIds, span, filter) =>
          Effect.map(hours(workspaceIds, span, filter), ({ latencies, ...read }) => ({
            ...read,
            latencies: latencies.map((one) => ({ ...one, at: latencies[0]?.at ?? one.at }))
          }))
      }))
    ),
  [AGREES]
)

bite(
  "an organization of which only the first workspace is read",
  () =>
    contract(
      breaking(UsageReadings, ({ groupedDays }) => ({
        groupedDays: ([first], month, groupBy) => groupedDays(first === undefined ? [] : [first], month, groupBy)
      }))
    ),
  [AGREES]
)

bite(
  "readings of a run whose pages overlap",
  () =>
    contract(
      breaking(UsageReadings, ({ runRequests }) => ({
        runRequests: (workspaceId, runId, called, page) =>
          runRequests(workspaceId, runId, called, {
            ...page,
            before: page.before === undefined ? undefined : String(Number(page.before) + 1)
          })
      }))
    ),
  [OF_A_RUN]
)

bite(
  "corrections of which the first one holds",
  () =>
    contract(
      breaking(UsageReadings, ({ runCosts, runRequests }) => {
        const first = new Map<string, string>()
        const firstOf = (key: string, costUsd: string) => {
          first.set(key, first.get(key) ?? costUsd)
          return first.get(key) ?? costUsd
        }
        return {
          runCosts,
          runRequests: (workspaceId, runId, called, page) =>
            Effect.map(runRequests(workspaceId, runId, called, page), ({ items, next }) => ({
              items: items.map((item) => ({
                ...item,
                costUsd: item.priceVersion === "prices@2" ? firstOf(item.id, "0.30") : item.costUsd
              })),
              next
            }))
        }
      })
    ),
  [CORRECTED]
)
