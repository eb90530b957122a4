import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId, aTenant, type Tenant, type Tenants } from "@agent-platform/kernel/testing"
import { Context, DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { CallId } from "../LedgerEntry.ts"
import type { CallEnd } from "../ports/CallLedger.ts"
import type { NewReservation } from "../Reservation.ts"

/** The facts about a run that billing knows. */
export interface BilledRun extends Tenant {
  readonly runId: string
  readonly sessionId: string
  readonly agentId: string
  readonly tags: ReadonlyArray<string>
  readonly metadata: { readonly [name: string]: string }
}

/**
 * Makes the runs that a contract suite bills. Stores with foreign keys to runs need them; the others use
 * `BilledRuns.layerUnfounded`.
 */
export class BilledRuns extends Context.Service<
  BilledRuns,
  {
    /** Makes a run of a tenant that exists. */
    readonly make: (run: BilledRun) => Effect.Effect<void>
  }
>()("@agent-platform/billing/testing/BilledRuns") {
  /** Makes nothing, for stores that accept any id as a run's. */
  static readonly layerUnfounded: Layer.Layer<BilledRuns> = Layer.succeed(BilledRuns, { make: () => Effect.void })
}

/** Makes a run, by default of a workspace of its own and without labels. */
export const aBilledRun = (
  tenant?: Tenant,
  labels: Pick<BilledRun, "tags" | "metadata"> = { tags: [], metadata: {} }
): Effect.Effect<BilledRun, never, BilledRuns | Tenants> =>
  Effect.gen(function* () {
    const { organizationId, workspaceId } = tenant ?? (yield* aTenant())
    const run: BilledRun = {
      organizationId,
      workspaceId,
      ...labels,
      runId: SecureRandom.uuidV7Unsafe(),
      sessionId: SecureRandom.uuidV7Unsafe(),
      agentId: SecureRandom.uuidV7Unsafe()
    }
    yield* BilledRuns.use((runs) => runs.make(run))
    return run
  })

/** The month for which the builders' calls count. */
export const NOVEMBER = {
  start: DateTime.makeUnsafe("2026-11-01T00:00:00.000Z"),
  end: DateTime.makeUnsafe("2026-12-01T00:00:00.000Z")
}

/** When builders' calls are made. */
export const CALLED_AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** The rates of a call that can cost at most `amountUsd`, whatever its output; null for an unknown price. */
export const costing = (amountUsd: string | null) => ({
  rates: amountUsd === null ? null : { baseUsd: amountUsd, outputTokenUsd: "0" }
})

/** A call that reserves 0.10 USD and is never shortened. By default it has no caps, and its run does not exist. */
export const aReservation = (
  override: Partial<NewReservation & Pick<BilledRun, "tags" | "metadata">> = {}
): NewReservation => {
  // A reservation has no labels, which are those of the run.
  const { metadata: _metadata, tags: _tags, ...known } = override
  return {
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
    inputTokensMax: 1_000,
    outputTokensMax: 500,
    outputTokensMin: 500,
    ...costing("0.10"),
    priceVersion: "prices@1",
    period: NOVEMBER,
    calledAt: CALLED_AT,
    workspaceCapUsd: null,
    runCapUsd: null,
    holdSeconds: 600,
    ...known
  }
}

/** The end of a call that cost 0.04 USD by default. */
export const aCallEnd = (override: Partial<CallEnd> = {}): CallEnd => ({
  responseModel: "gpt-4o-mini-2024-07-18",
  status: "ok",
  errorCode: null,
  finishReason: "stop",
  startedAt: CALLED_AT,
  durationMillis: 900,
  timeToFirstTokenMillis: 200,
  inputTokens: 800,
  cacheReadTokens: 100,
  cacheWriteTokens: 50,
  outputTokens: 120,
  reasoningTokens: 20,
  usageSource: "provider",
  costUsd: "0.04",
  priceVersion: "prices@1",
  settledAt: DateTime.makeUnsafe("2026-11-21T05:15:01.123Z"),
  ...override
})
