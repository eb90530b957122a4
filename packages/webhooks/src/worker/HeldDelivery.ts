import type { TakenEvent } from "@agent-platform/kernel"
import type { ListNode } from "@agent-platform/toolkit"
import type { SendableDelivery } from "../SendableDelivery.ts"

/** An event whose deliveries are on their way. It leaves the outbox when the last of them is written. */
export interface OpenEvent {
  readonly taken: TakenEvent
  /** Deliveries that are not written yet. */
  open: number
}

/** A delivery that this worker holds: by a claim on its row, or by its event while it has none. */
export interface HeldDelivery {
  readonly sent: SendableDelivery
  /** Undefined while it has no row. */
  claimToken: string | undefined
  /** The event that it keeps in the outbox, until the delivery is written. */
  event: OpenEvent | undefined
  /** Whether its attempt has ended. */
  hasEnded: boolean
  /** Since when it waits in its queue, or, once it is in flight, since when it is. */
  sinceMillis: number
  /** Whether it has been in flight for so long that its place is free again. */
  isSlow: boolean
  /** Its node in the list of deliveries in flight; undefined unless it is one. */
  node: ListNode<HeldDelivery> | undefined
}

/** A delivery that was just taken up: first attempts have an event, claimed ones a token. */
export const heldDelivery = (
  sent: SendableDelivery,
  by: { readonly event: OpenEvent } | { readonly claimToken: string },
  sinceMillis: number
): HeldDelivery => ({
  sent,
  claimToken: "claimToken" in by ? by.claimToken : undefined,
  event: "event" in by ? by.event : undefined,
  hasEnded: false,
  sinceMillis,
  isSlow: false,
  node: undefined
})
