/** Billing over memory, with a workspace whose cap a test sets and a catalogue of one model. */
import {
  Billing,
  CallId,
  flatRate,
  type Price,
  PriceBook,
  type ReserveCall,
  RunCosts,
  type SettleCall,
  type TokenUsage,
  WorkspaceCaps
} from "@agent-platform/billing"
import { layer as stores } from "@agent-platform/billing/memory"
import { NOVEMBER } from "@agent-platform/billing/testing"
import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { anId } from "@agent-platform/kernel/testing"
import { Context, DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** 1 USD per million input tokens, 2 per million output tokens, a tenth for cached input. */
export const PRICE: Price = {
  version: "prices@1",
  input: flatRate("1.00"),
  cacheRead: flatRate("0.10"),
  cacheWrite: undefined,
  output: flatRate("2.00"),
  reasoning: undefined,
  requestUsd: "0.00"
}

/** The workspace's settings for a test, and the usage of its runs. */
export class Deployment extends Context.Service<
  Deployment,
  {
    cap: string | null
    period: typeof NOVEMBER
  }
>()("test/Deployment") {}

const make = Layer.sync(Deployment, () => ({ cap: null, period: NOVEMBER }))

const caps = Layer.effect(
  WorkspaceCaps,
  Effect.map(Deployment, (deployment) => ({
    read: () =>
      Effect.sync(() => ({
        monthlyCapUsd: deployment.cap,
        period: deployment.period,
        month: DateTime.formatIso(deployment.period.start).slice(0, 7)
      }))
  }))
)

/** An addition to a run. */
export type Added = readonly [runId: string, usage: TokenUsage, costUsd: string | null]

const costs = Layer.effect(
  RunCosts,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const random = yield* SecureRandom.SecureRandom
    const rows = database.table<Added>("added")
    return {
      add: (_workspaceId, runId, usage, costUsd) =>
        Effect.flatMap(random.uuidV7(), (key) => rows.put(key, [runId, usage, costUsd]))
    }
  })
)

const book = Layer.succeed(PriceBook, {
  find: (_provider, model) => Effect.succeed(model === "unknown" ? undefined : PRICE)
})

/** The domain over memory. */
export const memory = Billing.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(stores, caps, costs, book)),
  Layer.provideMerge(Layer.merge(kernel, make)),
  Layer.fresh
)

/** A call that can cost 0.10 USD, by default in a run of its own. */
export const aCall = (override: Partial<ReserveCall> = {}): ReserveCall => ({
  id: anId(CallId),
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  runId: SecureRandom.uuidV7Unsafe(),
  sessionId: SecureRandom.uuidV7Unsafe(),
  agentId: SecureRandom.uuidV7Unsafe(),
  attempt: 1,
  provider: "openai",
  requestModel: "gpt-4o-mini",
  keySource: "platform",
  keyId: null,
  inputTokensMax: 80_000,
  outputTokensMax: 10_000,
  outputTokensMin: 10_000,
  runCapUsd: null,
  ...override
})

/** A call that has ended well, and has cost 0.04 USD. */
export const anEnd = (call: ReserveCall, override: Partial<SettleCall> = {}): SettleCall => ({
  call,
  status: "ok",
  errorCode: null,
  finishReason: "stop",
  responseModel: null,
  startedAt: DateTime.makeUnsafe("2026-11-21T05:15:00.123Z"),
  durationMillis: 10,
  timeToFirstTokenMillis: null,
  usage: {
    inputTokens: 38_000,
    cacheReadTokens: 20_000,
    cacheWriteTokens: 0,
    outputTokens: 10_000,
    reasoningTokens: 500
  },
  sent: true,
  ...override
})

/** Rows of a table of the memory that a test looks into. */
export const rowsOf = <Row>(table: string) => MemoryDatabase.use((database) => database.table<Row>(table).all)

/** The additions to runs, in order. */
export const addedToRuns = rowsOf<Added>("added")
