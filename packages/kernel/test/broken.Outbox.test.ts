/** Outboxes that are broken on purpose, for their suites. */
import { Outbox, type TakenEvent } from "@agent-platform/kernel"
import { layer, MemoryDatabase } from "@agent-platform/kernel/memory"
import { outboxContract, outboxProtocolContract } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { bite } from "./bite.ts"

const releasesForOthers = Layer.effect(
  Outbox,
  Outbox.use((outbox) => {
    const latest = new Map<string, TakenEvent>()
    const asOfNow = (events: ReadonlyArray<TakenEvent>) => events.map((event) => latest.get(event.id) ?? event)
    return Effect.succeed(
      Outbox.of({
        ...outbox,
        take: (max, leaseSeconds) =>
          Effect.tap(outbox.take(max, leaseSeconds), (events) =>
            Effect.sync(() => {
              for (const event of events) latest.set(event.id, event)
            })
          ),
        complete: (events) => outbox.complete(asOfNow(events)),
        release: (events) => outbox.release(asOfNow(events))
      })
    )
  })
)

bite(
  "an outbox that lets anybody complete or release an event",
  () => outboxContract("an outbox without a fence", Layer.provideMerge(releasesForOthers, layer)),
  [
    "lets nobody complete or release an event that was retaken",
    "hands an event out again when its lease is over, and lets its late taker neither complete nor release it",
    "judges each event by its own token, when some of them were retaken"
  ]
)

const outboxThat = (fault: (outbox: Outbox["Service"]) => Partial<Outbox["Service"]>) =>
  Layer.provideMerge(
    Layer.effect(
      Outbox,
      Outbox.use((outbox) => Effect.succeed(Outbox.of({ ...outbox, ...fault(outbox) })))
    ),
    layer
  )

bite(
  "an outbox whose leases never end",
  () =>
    outboxContract(
      "an endless outbox",
      outboxThat((outbox) => ({ take: (max) => outbox.take(max) }))
    ),
  [
    "hands an event out again when its lease is over, and lets its late taker neither complete nor release it",
    "judges each event by its own token, when some of them were retaken",
    "hands each of many lapsed events to one of many who take at once",
    "lets a late taker complete and release what nobody has retaken",
    // Events that a case could not complete are still there in the next two.
    "knows the first of its events by their ids, held or not, until it is completed",
    "wakes a listener after the commit"
  ]
)

bite(
  "an outbox that gives an event to everybody",
  () =>
    outboxContract(
      "a generous outbox",
      outboxThat((outbox) => ({ take: (max) => outbox.take(max, 0) }))
    ),
  [
    "hands an event to one of many who take at once",
    "does not hand out a completed event again",
    "says which events are still here, taken or not",
    "keeps an event held when the transaction that completes it fails",
    "hands out a released event again, as another attempt, and wakes who waits for it",
    "lets a late taker complete and release what nobody has retaken",
    "knows the first of its events by their ids, held or not, until it is completed",
    "lets nobody complete or release an event that was retaken",
    "hands an event out again when its lease is over, and lets its late taker neither complete nor release it",
    "hands each of many lapsed events to one of many who take at once"
  ]
)

bite(
  "an outbox without a fence, by its protocol",
  () => outboxProtocolContract("an outbox without a fence", Layer.provideMerge(releasesForOthers, layer), 7),
  ["is that of the model"]
)

const completesAtOnce = Layer.effect(
  Outbox,
  Outbox.use((outbox) =>
    Effect.map(MemoryDatabase, (database) =>
      Outbox.of({
        ...outbox,
        // Their outcome may not be written yet, or never.
        take: (max, leaseSeconds) =>
          Effect.tap(outbox.take(max, leaseSeconds), (events) => database.atomic(outbox.complete(events))),
        complete: (events) => Effect.succeed(new Set(events.map(({ id }) => id)))
      })
    )
  )
)

bite(
  "an outbox that an event leaves when it is taken",
  () => outboxContract("an outbox that forgets what is taken", Layer.provideMerge(completesAtOnce, layer)),
  [
    "hands out events once the transaction that added them has committed, in the order of their ids",
    "does not hand out a completed event again",
    "says which events are still here, taken or not",
    "keeps an event held when the transaction that completes it fails",
    "hands out a released event again, as another attempt, and wakes who waits for it",
    "lets nobody complete or release an event that was retaken",
    "hands an event out again when its lease is over, and lets its late taker neither complete nor release it",
    "lets a late taker complete and release what nobody has retaken",
    "judges each event by its own token, when some of them were retaken",
    "hands each of many lapsed events to one of many who take at once",
    "knows the first of its events by their ids, held or not, until it is completed"
  ]
)
