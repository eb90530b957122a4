import type { OrganizationId, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Span } from "../BillingMonth.ts"
import type { CallId, CallOrigin, LedgerEntry } from "../LedgerEntry.ts"
import type { Granted, NewReservation, Reservation } from "../Reservation.ts"
import type { MonthSpend, Spend } from "../Spend.ts"

/** The outcome of asking for a reservation. */
export type Reserved =
  | ({ readonly _tag: "Reserved" } & Granted)
  /**
   * Refused by the cap of the workspace or of the run, with the spending under that cap. `isWaiting` means that calls under way may
   * still free enough, so that the caller may wait; the next settlement then reports that a call waits.
   */
  | { readonly _tag: "Refused"; readonly by: "workspace" | "run"; readonly spend: Spend; readonly isWaiting: boolean }

/** How a call ended, for its row; the rest is known from its reservation. */
export type CallEnd = Omit<LedgerEntry, keyof CallOrigin | "seq" | "calledAt" | "reservedUsd">

/** The outcome of settling. */
export type Settled =
  /** This settled the call: the month as it is now, and whether another call waits under its cap. */
  | {
      readonly _tag: "Settled"
      readonly month: MonthSpend
      readonly isAwaited: boolean
      /** Facts that the reservation has of the call. */
      readonly calledAt: DateTime.Utc
      readonly reservedUsd: string | null
    }
  /** It is in the ledger already; nothing was changed. */
  | { readonly _tag: "AlreadySettled"; readonly costUsd: string | null }
  /** It was never admitted; nothing was written. */
  | { readonly _tag: "NeverReserved" }

/** A mark that a call sets on a month. */
export interface MonthMark {
  readonly kind: "near" | "reached"
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly period: Span
  readonly capUsd: string
  /** The call that caused it. */
  readonly callId: CallId
  readonly at: DateTime.Utc
}

/**
 * Keeps the ledger of model calls, the reservations of those under way, and the spending of months and runs: the three agree
 * after every transaction. A busy workspace makes no other wait. Tested by `callLedgerContract`.
 */
export class CallLedger extends Context.Service<
  CallLedger,
  {
    /**
     * Reserves the most that the call can cost from the workspace's month and from the run, or from neither, by `verdictOn`: with as
     * many output tokens as it asks for or as the caps leave. Spent and reserved amounts together exceed no cap, however many ask at
     * once. Asking again for the same call returns the same and reserves nothing more. It needs no transaction around it. The
     * reservation expires after `holdSeconds`, by the store's clock.
     */
    readonly reserve: (call: NewReservation) => Effect.Effect<Reserved>
    /**
     * Writes the call's row, releases the reservation and counts its cost, once, however often the call is settled. The cost counts
     * also beyond the cap.
     */
    readonly settle: (workspaceId: WorkspaceId, id: CallId, end: CallEnd) => Effect.Effect<Settled, never, Transaction>
    /** Reservations that have expired, oldest first. They stay until they are settled. */
    readonly expired: (options: { readonly max: number }) => Effect.Effect<ReadonlyArray<Reservation>>
    /**
     * Sets the marker of a month; `reached` also raises the highest cap that was reached. Returns the month as it is then if this
     * was the first time, undefined if the marker was set before: exactly one caller is the first.
     */
    readonly mark: (mark: MonthMark) => Effect.Effect<MonthSpend | undefined, never, Transaction>
    /** The workspace's month that begins at `start`; undefined when no call was admitted or refused in it. */
    readonly month: (workspaceId: WorkspaceId, start: DateTime.Utc) => Effect.Effect<MonthSpend | undefined>
    /** The spending of the run in all of its attempts. */
    readonly run: (workspaceId: WorkspaceId, runId: string) => Effect.Effect<Spend>
    /** The row of a call, once it is settled. */
    readonly find: (workspaceId: WorkspaceId, id: CallId) => Effect.Effect<LedgerEntry | undefined>
    /** Prepares the ledger for the calls of the months from `from` to `to`, where an adapter keeps each month apart. Others are taken, too. */
    readonly prepareMonths: (from: DateTime.Utc, to: DateTime.Utc) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/billing/CallLedger") {}
