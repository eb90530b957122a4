import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { highestReached, verdictOn } from "../Cap.ts"
import type { LedgerEntry } from "../LedgerEntry.ts"
import { addUsd, subtractUsd, ZERO_USD } from "../Money.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import { heldFor, type Reservation } from "../Reservation.ts"
import { type MonthSpend, NO_SPEND, type Spend } from "../Spend.ts"
import { ledgerRows } from "./ledgerRows.ts"

/** How long a refused call counts as waiting: a little longer than `reserveCall` does. */
const AWAITED_MILLIS = 6_000

interface MonthRow extends MonthSpend {
  readonly awaitedUntil: number
}

const monthOf = ({ awaitedUntil, ...month }: MonthRow): MonthSpend => month

interface RunRow extends Spend {
  readonly lastSeq: number
}

/** A reservation as memory keeps it. */
export interface Held {
  readonly reservation: Reservation
  readonly expiresAt: number
}

const pair = (workspaceId: string, id: string) => `${workspaceId}/${id}`

const monthKey = (workspaceId: string, start: DateTime.Utc) => pair(workspaceId, DateTime.formatIso(start))

const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const months = database.table<MonthRow>("workspace_spend")
  const runs = database.table<RunRow>("run_spend")
  const held = database.table<Held>("call_reservation")
  const { calls: ledger } = yield* ledgerRows
  const millis = Effect.map(DateTime.now, DateTime.toEpochMillis)

  const newMonth = (period: MonthSpend["period"], capUsd: string | null): MonthRow => ({
    ...NO_SPEND,
    period,
    capUsd,
    nearAt: null,
    reachedAt: null,
    reachedCapUsd: null,
    awaitedUntil: 0
  })

  return CallLedger.of({
    reserve: Effect.fnUntraced(function* (call) {
      const { holdSeconds, reported, outputTokensMin, period, rates, runCapUsd, workspaceCapUsd, ...facts } = call
      const key = pair(call.workspaceId, call.id)
      const before = yield* held.get(key)
      if (before !== undefined) {
        const { amountUsd, outputTokensMax } = before.reservation
        return { _tag: "Reserved", amountUsd, outputTokensMax } as const
      }
      // A report may come again when its call is settled: it counts as admitted.
      const settled = reported !== undefined ? yield* ledger.get(key) : undefined
      if (settled !== undefined) {
        return { _tag: "Reserved", amountUsd: settled.reservedUsd, outputTokensMax: settled.outputTokens } as const
      }
      const now = yield* millis
      const found = yield* months.get(monthKey(call.workspaceId, period.start))
      const month = { ...(found ?? newMonth(period, workspaceCapUsd)), period, capUsd: workspaceCapUsd }
      const run = (yield* runs.get(pair(call.workspaceId, call.runId))) ?? { ...NO_SPEND, lastSeq: 0 }
      const verdict = verdictOn(
        reported === "whatever_caps" ? { ...call, workspaceCapUsd: null, runCapUsd: null } : call,
        month,
        run
      )
      if (verdict._tag === "Refused") {
        if (verdict.isWaiting && found !== undefined) {
          yield* months.put(monthKey(call.workspaceId, period.start), {
            ...found,
            awaitedUntil: now + AWAITED_MILLIS
          })
        }
        return verdict
      }
      const { _tag: _, ...granted } = verdict
      const amount = heldFor(granted.amountUsd)
      const seq = run.lastSeq + 1
      yield* months.put(monthKey(call.workspaceId, period.start), {
        ...month,
        reservedUsd: addUsd(month.reservedUsd, amount)
      })
      yield* runs.put(pair(call.workspaceId, call.runId), {
        ...run,
        reservedUsd: addUsd(run.reservedUsd, amount),
        lastSeq: seq
      })
      yield* held.put(key, {
        reservation: { ...facts, ...granted, periodStart: period.start, seq },
        expiresAt: now + holdSeconds * 1000
      })
      return verdict
    }, database.atomic),

    settle: Effect.fnUntraced(function* (workspaceId, id, end) {
      const key = pair(workspaceId, id)
      const settled = yield* ledger.get(key)
      if (settled !== undefined) return { _tag: "AlreadySettled", costUsd: settled.costUsd } as const
      const found = yield* held.get(key)
      if (found === undefined) return { _tag: "NeverReserved" } as const
      const { amountUsd, inputTokensMax, outputTokensMax, periodStart, ...facts } = found.reservation
      const entry: LedgerEntry = { ...facts, ...end, reservedUsd: amountUsd }
      yield* ledger.put(key, entry)
      yield* held.remove(key)
      const [amount, cost] = [heldFor(amountUsd), end.costUsd ?? ZERO_USD]
      const runKey = pair(workspaceId, facts.runId)
      const month = yield* months.get(monthKey(workspaceId, periodStart))
      const run = yield* runs.get(runKey)
      if (month === undefined) return yield* Effect.die(new Error("A reservation without its month"))
      const after = <S extends Spend>(spend: S): S => ({
        ...spend,
        spentUsd: addUsd(spend.spentUsd, cost),
        reservedUsd: subtractUsd(spend.reservedUsd, amount)
      })
      // A run that was erased meanwhile has no spending any more.
      if (run !== undefined) yield* runs.put(runKey, after(run))
      yield* months.put(monthKey(workspaceId, periodStart), after(month))
      const isAwaited = month.awaitedUntil > (yield* millis)
      return {
        _tag: "Settled",
        month: monthOf(after(month)),
        isAwaited,
        calledAt: facts.calledAt,
        reservedUsd: amountUsd
      } as const
    }),

    expired: Effect.fnUntraced(function* ({ max }) {
      const now = yield* millis
      return (yield* held.all)
        .filter(({ expiresAt }) => expiresAt <= now)
        .sort((one, other) => one.expiresAt - other.expiresAt)
        .slice(0, max)
        .map(({ reservation }) => reservation)
    }),

    mark: Effect.fnUntraced(function* ({ at, capUsd, kind, period, workspaceId }) {
      const key = monthKey(workspaceId, period.start)
      const found = (yield* months.get(key)) ?? newMonth(period, capUsd)
      const marked: MonthRow =
        kind === "near"
          ? { ...found, nearAt: found.nearAt ?? at }
          : { ...found, reachedAt: found.reachedAt ?? at, reachedCapUsd: highestReached(found.reachedCapUsd, capUsd) }
      yield* months.put(key, marked)
      return (kind === "near" ? found.nearAt : found.reachedAt) === null ? monthOf(marked) : undefined
    }),

    month: (workspaceId, start) =>
      Effect.map(months.get(monthKey(workspaceId, start)), (found) => found && monthOf(found)),
    run: (workspaceId, runId) =>
      Effect.map(runs.get(pair(workspaceId, runId)), (found) => {
        const { reservedUsd, spentUsd } = found ?? NO_SPEND
        return { spentUsd, reservedUsd }
      }),
    find: (workspaceId, id) => ledger.get(pair(workspaceId, id)),
    prepareMonths: () => Effect.void
  })
})

/** The ledger over a `MemoryDatabase`. */
export const layerCallLedger: Layer.Layer<CallLedger, never, MemoryDatabase> = Layer.effect(CallLedger, make)
