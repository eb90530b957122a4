import {
  Billing,
  CallId,
  expireReservations,
  type ReserveCall,
  type TokenUsage,
  WorkspaceCaps
} from "@agent-platform/billing"
import { freshId, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { everySeconds } from "../internal/chores.ts"
import { EmbedError } from "../internal/EmbedError.ts"
import { invalid } from "../internal/inputs.ts"
import { migrate } from "../internal/migrate.ts"
import { makeEmbeddedRuntime } from "../internal/runtime.ts"
import { tenantId, tenantName } from "../internal/tenant.ts"
import { Caps } from "./Caps.ts"
import type { CustomerSpend, EmbeddedBilling, MeteredCall, Usage } from "./EmbeddedBilling.ts"
import { translate } from "./errors.ts"
import { layerOf } from "./layers.ts"
import { type BillingOptions, readCap, readOptions } from "./options.ts"

const TOKENS_MAX = 1_000_000_000

const CHORES_SECONDS = 60

/** Settles calls that were lost with their process, and prepares months to come. Any number of processes may do both. */
const chores = everySeconds(
  CHORES_SECONDS,
  "Settling lost calls",
  Effect.andThen(
    Billing.use((billing) => billing.prepareLedger()),
    expireReservations()
  )
)

const readTokens = (name: string, count: number): number => {
  if (Number.isInteger(count) && count >= 0 && count <= TOKENS_MAX) return count
  throw invalid(`${name} is a whole number of tokens, ${TOKENS_MAX} at most`)
}

const usageOf = (usage: Usage): TokenUsage => ({
  inputTokens: usage.inputTokens,
  cacheReadTokens: usage.cacheReadTokens ?? 0,
  cacheWriteTokens: usage.cacheWriteTokens ?? 0,
  outputTokens: usage.outputTokens,
  reasoningTokens: usage.reasoningTokens ?? 0
})

const customerOf = (customer: string) => {
  const organizationId = tenantId(customer)
  return { organizationId, workspaceId: WorkspaceId.make(organizationId) }
}

/** The migrations of the schema's tables. `metering` is for hosts, in the place of the platform's `billing`. */
const DOMAINS = ["metering"] as const

/**
 * The cost of the model calls of a service's customers, and caps on it by the month. Throws `EmbedError` (`option_invalid`,
 * `database_invalid`, `schema_invalid`) where an option cannot be used; nothing connects before the first call. See
 * `packages/embed/README.md`.
 */
export const createBilling = <const Model extends string>(options: BillingOptions<Model>): EmbeddedBilling<Model> => {
  const settings = readOptions(options)
  const { installation, prices } = settings
  const runtime = makeEmbeddedRuntime({
    layer: layerOf(settings),
    background: chores,
    translate,
    installation,
    domains: DOMAINS
  })
  const { close, run, start } = runtime

  const callOf = async ({ customer, maxTokens, model }: MeteredCall): Promise<ReserveCall> => {
    const owner = customerOf(customer)
    if (!prices.has(model)) {
      throw new EmbedError("model_unpriced", `There is no price of ${JSON.stringify(model)}: add it to prices`, {
        model
      })
    }
    return {
      id: await run(freshId(CallId)),
      ...owner,
      // Billing sums and orders calls by their run. A host has no runs of ours, so the customer stands in its place.
      runId: owner.workspaceId,
      sessionId: owner.workspaceId,
      agentId: owner.workspaceId,
      attempt: 1,
      provider: "host",
      requestModel: model,
      keySource: "platform",
      keyId: null,
      inputTokensMax: readTokens("maxTokens.input", maxTokens?.input),
      outputTokensMax: readTokens("maxTokens.output", maxTokens?.output),
      // A host's call is admitted as it is or refused: it cannot be shortened to what is left.
      outputTokensMin: maxTokens.output,
      runCapUsd: null
    }
  }

  const spend = async (customer: string): Promise<CustomerSpend> => {
    const { organizationId, workspaceId } = customerOf(customer)
    return run(
      Effect.gen(function* () {
        const [billing, caps] = [yield* Billing, yield* WorkspaceCaps]
        const { month, monthlyCapUsd, period } = yield* caps.read(organizationId, workspaceId, yield* DateTime.now)
        const found = yield* billing.readMonth(workspaceId, period.start)
        return {
          customer: tenantName(customer),
          month,
          spentUsd: found?.spentUsd ?? "0.00",
          heldBackUsd: found?.reservedUsd ?? "0.00",
          capUsd: monthlyCapUsd
        }
      })
    )
  }

  return {
    migrate: () => migrate(installation, DOMAINS),
    start,
    close,
    [Symbol.asyncDispose]: close,
    spend,

    setCap: async (customer, capUsd) => {
      const { workspaceId } = customerOf(customer)
      const cap = readCap(capUsd)
      if (cap === undefined) throw invalid('A cap is USD as a decimal text, as "25", or null')
      await run(Caps.use((caps) => caps.set(workspaceId, tenantName(customer), cap)))
      return spend(customer)
    },

    metered: async (asked, send) => {
      const call = await callOf(asked)
      const admission = await run(Billing.use((billing) => billing.reserveCall(call)))
      const startedAt = DateTime.nowUnsafe()
      const settle = (status: "ok" | "error", usage: Usage | undefined) =>
        run(
          Effect.gen(function* () {
            const billing = yield* Billing
            const endedAt = yield* DateTime.now
            yield* billing.settleCall({
              call,
              admission,
              status,
              errorCode: status === "ok" ? null : "send_failed",
              finishReason: null,
              responseModel: null,
              startedAt,
              durationMillis: endedAt.epochMilliseconds - startedAt.epochMilliseconds,
              timeToFirstTokenMillis: null,
              usage: usage === undefined ? undefined : usageOf(usage),
              sent: true
            })
          }).pipe(Effect.catchCause((cause) => Effect.logError("A call could not be settled", cause)))
          // It rejects where the entry point was closed meanwhile. The call was made all the same, so the host gets its answer,
          // and the amount held back counts as spent once it expires.
        ).catch(() => undefined)
      const answer = await Promise.resolve()
        .then(send)
        .catch(async (error) => {
          await settle("error", undefined)
          throw error
        })
      await settle("ok", answer.usage)
      return answer
    }
  }
}
