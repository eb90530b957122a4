/** One adapter that is broken on purpose for each contract suite: a suite that cannot fail proves nothing. */
import {
  type ActivityRecord,
  EventLog,
  FeedLog,
  Idempotency,
  type IdempotencyRequest,
  SecretBox,
  Signals
} from "@agent-platform/kernel"
import { feedTables, layer, MemoryDatabase, MemorySecretBox } from "@agent-platform/kernel/memory"
import {
  eventLogContract,
  type FeedReading,
  feedLogContract,
  idempotencyContract,
  secretBoxContract,
  signalsContract,
  Tenants
} from "@agent-platform/kernel/testing"
import { makeSignalHub } from "@agent-platform/toolkit"
import { Effect, Layer } from "effect"
import { bite } from "./bite.ts"

const sortKeys = (data: string) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(data)).sort()))

const rewritesData = Layer.effect(
  EventLog,
  EventLog.use((log) =>
    Effect.succeed(
      EventLog.of({
        ...log,
        append: (...events) => log.append(...events.map((event) => ({ ...event, data: sortKeys(event.data) })))
      })
    )
  )
)

bite(
  "an event log that sorts the keys of an event's data, as a column of type jsonb does",
  () => eventLogContract("a log that sorts keys", Layer.provideMerge(rewritesData, layer)),
  ["gives back an event exactly as it was appended, to the byte of its data"]
)

const losesTraces = Layer.effect(
  EventLog,
  EventLog.use((log) =>
    Effect.succeed(
      EventLog.of({ ...log, append: (...events) => log.append(...events.map(({ trace: _, ...event }) => event)) })
    )
  )
)

bite(
  "an event log that does not keep which trace an event belongs to",
  () => eventLogContract("a log that loses traces", Layer.provideMerge(losesTraces, layer)),
  ["keeps the traces of events that belong to one, whatever is appended with them"]
)

const raisesAtOnce = Layer.sync(Signals, () => {
  const hub = makeSignalHub()
  // It yields, as whatever carries signals between processes does: what it woke runs before the transaction is over.
  const raise = (topic: string) =>
    Effect.andThen(
      Effect.sync(() => hub.wake(topic)),
      Effect.yieldNow
    )
  return Signals.of({ raise, listen: hub.listen })
})

bite(
  "signals that do not wait for the commit",
  () => signalsContract("hasty signals", Layer.provideMerge(raisesAtOnce, layer)),
  ["does not wake listeners of another topic, or for a transaction that failed"]
)

const changeKey = MemorySecretBox.use((box) => box.changeKey)

const forgetsPlaces = Layer.effect(
  SecretBox,
  SecretBox.use((box) =>
    Effect.succeed(
      SecretBox.of({
        seal: (_place, secret) => box.seal("anywhere", secret),
        open: (_place, sealed) => box.open("anywhere", sealed),
        reseal: (_place, sealed) => box.reseal("anywhere", sealed)
      })
    )
  )
)

bite(
  "a secret box that forgets the place",
  () => secretBoxContract("a box without places", Layer.provideMerge(forgetsPlaces, layer), changeKey),
  ["refuses a sealed value that was moved to another place", "does not seal again what was moved or altered"]
)

const sealsAlways = Layer.effect(
  SecretBox,
  SecretBox.use((box) =>
    Effect.succeed(
      SecretBox.of({
        ...box,
        reseal: (place, sealed) => Effect.flatMap(box.open(place, sealed), (secret) => box.seal(place, secret))
      })
    )
  )
)

bite(
  "a secret box that seals again whatever the key",
  () => secretBoxContract("a box that is never done", Layer.provideMerge(sealsAlways, layer), changeKey),
  ["leaves alone what is sealed under the current key", "seals again, once, what is sealed under an earlier key"]
)

const bodiless = (request: IdempotencyRequest) => ({ ...request, bodyHash: "any" })

const ignoresBodies = Layer.effect(
  Idempotency,
  Idempotency.use((keys) =>
    Effect.succeed(
      Idempotency.of({
        ...keys,
        claim: (...requests) => keys.claim(...requests.map(bodiless)),
        record: (...created) => keys.record(...created.map((one) => ({ ...one, request: bodiless(one.request) })))
      })
    )
  )
)

bite(
  "a keeper of idempotency keys that does not compare bodies",
  () => idempotencyContract("a keeper blind to bodies", Layer.provideMerge(ignoresBodies, layer)),
  [
    "refuses the same key with another body",
    "claims those of many keys that are new, each once, and answers what became of the others"
  ]
)

const written: Array<ActivityRecord> = []

const writesBesideTheTransaction = Layer.effect(
  FeedLog,
  FeedLog.use((log) =>
    Effect.succeed(FeedLog.of({ ...log, record: (...entries) => Effect.sync(() => void written.push(...entries)) }))
  )
)

bite(
  "a feed log that writes beside the transaction",
  () =>
    feedLogContract(
      "a log beside the transaction",
      Layer.mergeAll(Layer.provideMerge(writesBesideTheTransaction, layer), Tenants.layerUnfounded),
      {
        activity: (organizationId) =>
          Effect.flatMap(MemoryDatabase, (database) =>
            Effect.map(feedTables(database).activity.all, (all) =>
              [...written, ...all].filter((entry) => entry.organizationId === organizationId)
            )
          ),
        notifications: (organizationId) =>
          Effect.flatMap(MemoryDatabase, (database) =>
            Effect.map(feedTables(database).notification.all, (all) =>
              all.filter((notice) => notice.organizationId === organizationId)
            )
          )
      }
    ),
  ["keeps nothing of a transaction that failed"]
)

const memoryReading: FeedReading<MemoryDatabase> = {
  activity: (organizationId) =>
    Effect.flatMap(MemoryDatabase, (database) =>
      Effect.map(feedTables(database).activity.all, (all) =>
        all.filter((entry) => entry.organizationId === organizationId)
      )
    ),
  notifications: (organizationId) =>
    Effect.flatMap(MemoryDatabase, (database) =>
      Effect.map(feedTables(database).notification.all, (all) =>
        all.filter((notice) => notice.organizationId === organizationId)
      )
    )
}

const unheard = Layer.effect(
  FeedLog,
  Effect.gen(function* () {
    const log = yield* FeedLog
    const { notification } = feedTables(yield* MemoryDatabase)
    return FeedLog.of({
      ...log,
      notify: (...notices) =>
        Effect.forEach(notices, (notice) => notification.put(notice.id, notice), { discard: true })
    })
  })
)

bite(
  "a feed log that wakes nobody",
  () =>
    feedLogContract(
      "an unheard log",
      Layer.mergeAll(Layer.provideMerge(unheard, layer), Tenants.layerUnfounded),
      memoryReading
    ),
  ["wakes the followers of notices once they are committed"]
)

const tellsEveryTally = Layer.effect(
  FeedLog,
  FeedLog.use((log) =>
    Effect.succeed(
      FeedLog.of({
        ...log,
        tally: (...tallies) =>
          log.record(...tallies.map(({ count, entry }) => ({ ...entry, payload: { ...entry.payload, count } })))
      })
    )
  )
)

bite(
  "a feed log that makes an entry of every tally",
  () =>
    feedLogContract(
      "a log that tells every tally",
      Layer.mergeAll(Layer.provideMerge(tellsEveryTally, layer), Tenants.layerUnfounded),
      memoryReading
    ),
  ["keeps one entry of what is tallied under one key in a minute, with all of its counts"]
)
