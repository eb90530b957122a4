/** Properties of the money of runs, whatever their providers do. */
import { CallLedger, type LedgerEntry, RESERVATION_MINUTES } from "@agent-platform/billing"
import type { WorkspaceCaller } from "@agent-platform/kernel"
import { isTerminal, type Run, Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, BigDecimal, Clock, Context, Deferred, Effect, Logger, Queue, Schema } from "effect"
import { ScriptedServer } from "../chat/ScriptedServer.ts"
import { aChatAgent, aKey, logOf, trigger } from "../chat/support.ts"
import { type Charge, charge, ENDINGS, PROVIDERS } from "./chargingProvider.ts"
import { makeFastClock } from "./fastClock.ts"
import {
  capped,
  costAt,
  entriesOf,
  expireAll,
  type Fault,
  layerOf,
  type memory,
  monthOf,
  SeenCalls
} from "./spending.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Calls for tools more often than the others: a run goes on after them. */
const Ending = Schema.Struct({
  ending: Schema.Literals([...ENDINGS, "tool", "tool", "tool", "tool"]),
  percent: int(0, 99)
})

/** Runs of one workspace at once, and how their requests end one after another; further ones end well. */
const Case = Schema.Struct({
  provider: Schema.Literals(PROVIDERS),
  model: Schema.Literals(["m0", "m1", "m2", "m3"]),
  capMills: Schema.NullOr(int(2, 200)),
  runCapMills: Schema.NullOr(int(2, 100)),
  maxOutputTokens: int(256, 4_000),
  runs: Schema.Array(Schema.Array(Ending).check(Schema.isMaxLength(4))).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(4)
  )
})
type Case = typeof Case.Type

const mills = (amount: number | null) =>
  amount === null ? null : BigDecimal.format(BigDecimal.make(BigInt(amount), 3))
const usd = (text: string | null | undefined) => BigDecimal.fromStringUnsafe(text ?? "0")
const sum = (amounts: ReadonlyArray<string | null>) => BigDecimal.sumAll(amounts.map(usd))
const isAtMost = (one: BigDecimal.BigDecimal, other: BigDecimal.BigDecimal, what: string) =>
  assert.isTrue(
    BigDecimal.isLessThanOrEqualTo(one, other),
    `${what}: ${BigDecimal.format(one)} > ${BigDecimal.format(other)}`
  )
const isSame = (one: string | null, other: string | null, what: string) =>
  assert.isTrue(BigDecimal.equals(usd(one), usd(other)), `${what}: ${one} is not ${other}`)

/** The money that the provider charged beyond what was held back for the call. */
const excess = ({ costUsd, reservedUsd }: LedgerEntry) =>
  BigDecimal.max(BigDecimal.subtract(usd(costUsd), usd(reservedUsd)), usd("0"))

const tokensOf = (one: LedgerEntry | Charge["usage"]) => [one.inputTokens, one.cacheReadTokens, one.outputTokens]

/** Holds one entry of the ledger against what its provider charged. */
const holdsEntry = ({ ending, isTold, usage, ...charged }: Charge, model: string, entry: LedgerEntry) => {
  if (ending === "crash") {
    assert.deepInclude(entry, { usageSource: "estimated", errorCode: "worker_lost" })
    isSame(entry.costUsd, entry.reservedUsd, "what nobody settled costs all that was held")
  } else if (charged.isRefused || isTold) {
    assert.strictEqual(entry.usageSource, "provider", ending)
    assert.deepStrictEqual(tokensOf(entry), tokensOf(usage), ending)
    isSame(entry.costUsd, charged.isRefused ? "0" : costAt(model, usage), ending)
  } else {
    assert.strictEqual(entry.usageSource, "estimated", ending)
    const seen = Math.ceil(charged.bytesShown / 2) + Math.ceil(entry.durationMillis / 5)
    assert.isAtMost(entry.outputTokens, Math.min(charged.limit, seen), `${ending} books what was seen`)
    // Anthropic says its input first.
    if (charged.provider === "anthropic" && charged.bytesShown > 0 && entry.outputTokens >= charged.bytesShown / 2) {
      assert.strictEqual(entry.inputTokens, usage.inputTokens, `${ending} books the input that was said`)
    }
    assert.isAtLeast(entry.inputTokens, usage.inputTokens, `${ending} is estimated from above`)
  }
  if (ending !== "overcharge") isAtMost(usd(entry.costUsd), usd(entry.reservedUsd), `${ending} within its bound`)
}

/** The run once it has ended. By a fast clock the longest wait of a reading is over soon. */
const endedAtLast = (caller: WorkspaceCaller, runId: Run["id"]) =>
  Runs.use((runs) => runs.readRun({ caller, runId, waitSeconds: 30 })).pipe(
    Effect.repeat({ until: isTerminal, times: 40 })
  )

const holds = Effect.fnUntraced(function* (one: Case, letExpire: Effect.Effect<void>) {
  const server = yield* ScriptedServer
  const { dying } = yield* SeenCalls
  const capUsd = mills(one.capMills)
  const caller = yield* capped(capUsd)
  yield* aKey(caller, { provider: one.provider })
  const agent = yield* aChatAgent(caller, {
    model: `${one.provider}/${one.model}`,
    tools: ["http_request"],
    maxCostUsd: mills(one.runCapMills),
    modelSettings: { maxOutputTokens: one.maxOutputTokens }
  })
  const prompts = one.runs.map((_, index) => `This is run ${index} of ${caller.workspaceId}`)
  const charges = prompts.map((): Array<Charge> => [])
  const silent = yield* Queue.unbounded<{ readonly run: number; readonly charge: Charge }>()
  const triggered = yield* Effect.forEach(prompts, () => Deferred.make<Run>())
  server.script((response, asked) => {
    const run = prompts.findIndex((prompt) => asked.text.includes(prompt))
    const { ending, percent } = one.runs[run]?.[charges[run]?.length ?? 0] ?? { ending: "words", percent: 50 }
    if (ending === "crash") dying.add(prompts[run] ?? "")
    charge(one.provider, ending, percent / 100, {
      onCharge: (charged) => charges[run]?.push(charged),
      onSilent: (charged) => Queue.offerUnsafe(silent, { run, charge: charged })
    })(response, asked)
  })
  const cancelling = yield* Effect.forkChild(
    Effect.forever(
      Effect.gen(function* () {
        const { charge: charged, run } = yield* Queue.take(silent)
        const { id, sessionId } = yield* Deferred.await(triggered[run]!)
        // All that was shown has been read before its run is cancelled.
        while (charged.bytesShown > 0) {
          const log = yield* logOf(caller, id)
          const over = new Set(log.flatMap(({ data, type }) => (type === "llm.request" ? [data["request_id"]] : [])))
          if (log.some(({ data, type }) => type === "message.delta" && !over.has(data["request_id"]))) break
          yield* Effect.sleep(100)
        }
        yield* Runs.use((runs) => runs.cancelSession({ caller, sessionId, reason: null, mode: "graceful" }))
      })
    )
  )
  const runs = yield* Effect.forEach(
    prompts,
    (prompt, index) =>
      Effect.gen(function* () {
        const run = yield* Effect.option(trigger(caller, agent, { prompt }))
        if (run._tag === "None") return undefined
        yield* Deferred.succeed(triggered[index]!, run.value)
        return yield* endedAtLast(caller, run.value.id)
      }),
    { concurrency: "unbounded" }
  )
  yield* Effect.yieldNow
  cancelling.interruptUnsafe()
  yield* letExpire
  yield* expireAll

  const all: Array<LedgerEntry> = []
  for (const [index, run] of runs.entries()) {
    if (run === undefined) {
      assert.isEmpty(charges[index])
      continue
    }
    const entries = yield* entriesOf(run)
    all.push(...entries.map(({ entry }) => entry))
    // A call that was interrupted while it waited for its reservation was never sent.
    const sent = entries.filter(({ end }) => end === undefined || end.sent || end.status === "error")
    assert.strictEqual(sent.length, charges[index]?.length, "a row for each request")
    for (const [place, { admitted, entry }] of sent.entries()) {
      const charged = charges[index]![place]!
      assert.strictEqual(charged.limit, admitted, "what is held and the limit that is sent are for the same number")
      holdsEntry(charged, one.model, entry)
    }
    const spend = yield* CallLedger.use((ledger) => ledger.run(caller.workspaceId, run.id))
    isSame(spend.reservedUsd, "0", "nothing is held for the run")
    isSame(spend.spentUsd, BigDecimal.format(sum(entries.map(({ entry }) => entry.costUsd))), "the run's spending")
    const read = yield* Runs.use((service) => service.readRun({ caller, runId: run.id, waitSeconds: 0 }))
    isSame(read.costUsd, spend.spentUsd, "the cost that the run shows")
    const mayPass = BigDecimal.sumAll(entries.map(({ entry }) => excess(entry)))
    const runCap = mills(one.runCapMills)
    if (runCap !== null) isAtMost(usd(spend.spentUsd), BigDecimal.sum(usd(runCap), mayPass), "the run's cap")
  }
  const month = yield* monthOf(caller)
  isSame(month?.reservedUsd ?? null, "0", "nothing is held")
  isSame(month?.spentUsd ?? null, BigDecimal.format(sum(all.map(({ costUsd }) => costUsd))), "the month's spending")
  if (capUsd === null) return true
  const spent = usd(month?.spentUsd)
  isAtMost(spent, BigDecimal.sum(usd(capUsd), BigDecimal.sumAll(all.map(excess))), "the workspace's cap")
  if (month?.reachedAt != null) {
    isAtMost(BigDecimal.multiply(usd(capUsd), usd("0.95")), spent, "a workspace is closed from 95 % on")
  } else {
    assert.isTrue(BigDecimal.isLessThan(spent, usd(capUsd)), "a workspace that has spent all is closed")
    assert.isTrue(
      runs.every((run) => run !== undefined),
      "a workspace that is open begins runs"
    )
  }
  return true
})

export const TITLE = "is charged what providers say, within caps, and nothing stays held"

/** Lets every reservation expire in stores that have a clock of their own. */
export const LetExpire = Context.Reference<Effect.Effect<void>>("test/LetExpire", { defaultValue: () => Effect.void })

/** Where the suite is run. */
export interface Where {
  readonly under?: typeof memory
  /** How many times as fast as the real one the clock goes: 20 unless the stores have a clock of their own. */
  readonly factor?: number
}

/** So many sets of runs are tried, other ones each time unless there is a `seed`. */
export const spendingSuite = (
  name: string,
  fault: Fault,
  { factor = 20, under, ...options }: Where & { readonly runs: number; readonly seed?: number }
) =>
  describe(name, () => {
    it.live(
      TITLE,
      () =>
        Effect.gen(function* () {
          const { clock, forward } = yield* makeFastClock(factor)
          const checked = Effect.gen(function* () {
            yield* startRunWorker({ drainSeconds: 0, graceSeconds: 60, leaseSeconds: 3_600, renewSeconds: 600 })
            const letExpire = Effect.andThen(
              Effect.flatten(LetExpire),
              Effect.sync(() => forward(factor === 1 ? 0 : (RESERVATION_MINUTES + 1) * 60_000))
            )
            const property = (one: Case) =>
              Effect.catchDefect(Effect.scoped(holds(one, letExpire)), (defect) => Effect.fail(String(defect)))
            return yield* Arbitrary.checkEffect(Arbitrary.schema(Case), property, {
              size: 20,
              maxShrinks: 0,
              ...options
            })
          })
          const result = yield* checked.pipe(
            Effect.scoped,
            Effect.provide(layerOf(fault, under)),
            Effect.provide(Logger.layer([])),
            Effect.provideService(Clock.Clock, clock)
          )
          assert.isUndefined(Arbitrary.formatCheckFailure(result))
        }),
      240_000
    )
  })
