/** Stores that are broken on purpose, one fault each: a suite of retention that lets a fault through fails here. */
import { FeedEraser } from "@agent-platform/feeds"
import { TenancyStore } from "@agent-platform/keys"
import { RunHistory } from "@agent-platform/runs"
import { DeliveryEraser } from "@agent-platform/webhooks"
import { DateTime, Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"
import { retainedSuite } from "./retained.ts"
import { memory } from "./retainedMemory.ts"

const LOSE = "lose sessions whose last run ended before, with all that belongs to their runs, and no sum"
const KEEP = "keep a session whose last run is young, or has not ended, whole"
const IN_ORDER = "are gone through in order, and from where the job was broken off"

type Stores = Layer.Success<typeof memory>

const fault = <S extends Stores>(name: string, broken: Layer.Layer<S, never, S>, caughtBy: ReadonlyArray<string>) => {
  const stores = Layer.provideMerge(broken as Layer.Layer<never, never, Stores>, memory)
  bite(name, () => retainedSuite("broken stores", Layer.fresh(stores)), caughtBy)
}

const nothing = { counts: {}, isOver: true } as const

fault(
  "a workspace whose retention is not read",
  Layer.effect(
    TenancyStore,
    TenancyStore.use((store) => Effect.succeed({ ...store, withRetention: () => Effect.succeed([]) }))
  ),
  [LOSE, IN_ORDER]
)

fault(
  "a job that begins anew where it was broken off",
  Layer.effect(
    TenancyStore,
    TenancyStore.use((store) =>
      Effect.succeed({
        ...store,
        withRetention: (_after, limit) => store.withRetention(undefined, limit)
      } satisfies typeof store)
    )
  ),
  [IN_ORDER]
)

fault(
  "a history that forgets what is young",
  Layer.effect(
    RunHistory,
    RunHistory.use((history) =>
      Effect.succeed({
        ...history,
        forget: (options) => history.forget({ ...options, before: DateTime.makeUnsafe("2999-12-31T00:00:00Z") })
      } satisfies typeof history)
    )
  ),
  [LOSE, KEEP]
)

fault(
  "events that stay when their runs go",
  Layer.effect(
    DeliveryEraser,
    DeliveryEraser.use((eraser) => Effect.succeed({ ...eraser, erase: () => Effect.succeed(nothing) }))
  ),
  [LOSE, IN_ORDER]
)

fault(
  "entries in the feed that stay when their runs go",
  Layer.effect(
    FeedEraser,
    FeedEraser.use((eraser) => Effect.succeed({ ...eraser, erase: () => Effect.succeed(nothing) }))
  ),
  [LOSE, IN_ORDER]
)
