import { Outbox, type TakenEvent } from "@agent-platform/kernel"
import { untilDone } from "@agent-platform/toolkit"
import { Effect, Latch } from "effect"
import type { AttemptMade, Delivery } from "../Delivery.ts"
import { type AttemptToSettle, settleDeliveries } from "../use-cases/settleDeliveries.ts"
import type { HeldDelivery, OpenEvent } from "./HeldDelivery.ts"

/**
 * One thing to be written. `unattempted`: a delivery without an outcome, to be tried later by the worker that claims it. `underWay`: the row of a
 * delivery whose first attempt takes longer than a moment, with a claim for this worker. `attempt`: the outcome of an attempt.
 * `nothing`: an event that no endpoint subscribed to, which is complete.
 */
export type Settlement =
  | {
      readonly kind: "unattempted"
      readonly delivery: Delivery
      readonly event: OpenEvent | undefined
      /**
       * Given if an attempt was begun and came to nothing, as by a defect. Where the delivery has got a row meanwhile nothing is written,
       * and its claim lapses.
       */
      readonly held?: HeldDelivery | undefined
    }
  | { readonly kind: "underWay"; readonly held: HeldDelivery }
  | {
      readonly kind: "attempt"
      readonly held: HeldDelivery
      readonly delivery: Delivery
      readonly attempt: AttemptMade
    }
  | { readonly kind: "nothing"; readonly event: OpenEvent }

/** Most settlements of one transaction. A row costs the same among 512 as among 256, while half as many transactions are paid for. */
const BATCH_MAX = 512

/** How long the first settlement of a batch waits for others: a transaction for each would cost more. */
const WAIT_MILLIS = 50

/** With so many settlements a batch waits for no others, since nothing new is sent while too many are unwritten. */
const ENOUGH = 128

/** Settlements that wait to be written. */
export interface SettlementQueue {
  readonly add: (settlement: Settlement) => void
  /** How much waits, or is being written. */
  readonly size: () => number
  /** Waits until everything is written. */
  readonly empty: Effect.Effect<void>
  /** Hands back the events that cannot be completed, so that others take them up. Writes nothing else. */
  readonly giveUp: Effect.Effect<void, never, Outbox>
  /** Writes the next batch, trying until it is done. Waits while there is nothing. */
  readonly settleNext: Effect.Effect<void, never, Effect.Services<ReturnType<typeof settleDeliveries>>>
}

/**
 * The event that a settlement belongs to. A held delivery has none any more once `underWay` has written its row, so that the event's
 * written deliveries are counted once.
 */
const eventOf = (settlement: Settlement): OpenEvent | undefined => {
  switch (settlement.kind) {
    case "unattempted":
      return settlement.held === undefined ? settlement.event : settlement.held.event
    case "nothing":
      return settlement.event
    case "underWay":
    case "attempt":
      return settlement.held.event
  }
}

/** The events whose last delivery is written with this batch. */
const endedBy = (batch: ReadonlyArray<Settlement>): ReadonlyArray<TakenEvent> => {
  const written = new Map<OpenEvent, number>()
  for (const settlement of batch) {
    const event = eventOf(settlement)
    if (event !== undefined) written.set(event, (written.get(event) ?? 0) + (settlement.kind === "nothing" ? 0 : 1))
  }
  return [...written].filter(([event, count]) => event.open <= count).map(([event]) => event.taken)
}

const attemptsIn = (batch: ReadonlyArray<Settlement>): ReadonlyArray<AttemptToSettle> =>
  batch
    .filter((one) => one.kind === "attempt")
    .map(({ attempt, delivery, held: { claimToken, sent } }) => ({ sent, claimToken, delivery, attempt }))

/** An empty queue, and the callbacks for what it has written. */
export const makeSettlementQueue = Effect.fnUntraced(function* (options: {
  readonly leaseSeconds: number
  /** The worker has got a claim on a row that it made itself. */
  readonly claimed: (claimToken: string) => void
  /** A claim is not renewed any more: its attempt is written, or has come to nothing and the claim is left to lapse. */
  readonly settled: (claimToken: string) => void
  /** A delivery was written as pending, so the time that the next one is due may have changed. */
  readonly pending: () => void
}): Effect.fn.Return<SettlementQueue> {
  const hasSome = yield* Latch.make(false)
  const hasEnough = yield* Latch.make(false)
  const isEmpty = yield* Latch.make(true)
  let waiting: Array<Settlement> = []
  let writing: ReadonlyArray<Settlement> = []
  let size = 0

  const write = Effect.fnUntraced(function* (batch: ReadonlyArray<Settlement>) {
    // An attempt that has ended meanwhile needs no claim: its settlement follows, or is in this batch.
    const underWay = batch.flatMap((one) => (one.kind === "underWay" && !one.held.hasEnded ? [one.held] : []))
    const written = batch.filter((one) => one.kind !== "underWay" || !one.held.hasEnded)
    const unattempted = batch.flatMap((one) =>
      one.kind === "unattempted" && one.held?.claimToken === undefined ? [one.delivery] : []
    )
    const tokens = yield* settleDeliveries({
      unattempted,
      underWay: underWay.map((held) => held.sent.delivery),
      attempts: attemptsIn(batch),
      events: endedBy(written),
      leaseSeconds: options.leaseSeconds
    })
    return { written, underWay, tokens }
  })

  const settleNext = Effect.gen(function* () {
    yield* hasSome.await
    hasSome.closeUnsafe()
    if (waiting.length < ENOUGH) yield* Effect.timeoutOption(hasEnough.await, WAIT_MILLIS)
    const batch = waiting.slice(0, BATCH_MAX)
    writing = batch
    waiting = waiting.slice(BATCH_MAX)
    // Settlements that came while this batch waited for more have opened it, and are in the batch.
    if (waiting.length === 0) hasSome.closeUnsafe()
    else hasSome.openUnsafe()
    if (waiting.length < ENOUGH) hasEnough.closeUnsafe()
    // Losing a settlement would send its delivery twice.
    const { tokens, underWay, written } = yield* untilDone(
      "Settling deliveries",
      Effect.suspend(() => write(batch))
    )
    for (const settlement of written) {
      const event = eventOf(settlement)
      if (event !== undefined && settlement.kind !== "nothing") event.open--
      const ended = settlement.kind === "attempt" || settlement.kind === "unattempted" ? settlement.held : undefined
      if (ended?.claimToken !== undefined) options.settled(ended.claimToken)
    }
    underWay.forEach((held, index) => {
      // There is no token where the row exists already: another worker took the event up meanwhile, and the row is left to it.
      const token = tokens[index]
      held.event = undefined
      held.claimToken = token
      if (token !== undefined) options.claimed(token)
    })
    if (batch.some((one) => "delivery" in one && one.delivery.state === "pending")) options.pending()
    writing = []
    size -= batch.length
    if (size === 0) yield* isEmpty.open
  })

  return {
    add: (settlement) => {
      waiting.push(settlement)
      size++
      isEmpty.closeUnsafe()
      hasSome.openUnsafe()
      if (waiting.length >= ENOUGH) hasEnough.openUnsafe()
    },
    size: () => size,
    empty: isEmpty.await,
    giveUp: Effect.suspend(() => {
      const events = new Set([...writing, ...waiting].flatMap((one) => eventOf(one) ?? []))
      return Outbox.use((outbox) => outbox.release([...events].map(({ taken }) => taken)))
    }),
    settleNext
  }
})
