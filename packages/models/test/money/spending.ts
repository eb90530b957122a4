/** The money of runs that chat: what providers charge, what the ledger has of it, and the caps. */
import {
  Billing,
  CallId,
  CallLedger,
  costOf,
  flatRate,
  type LedgerEntry,
  type Price,
  PriceBook,
  type TokenUsage
} from "@agent-platform/billing"
import { layer as billingMemory } from "@agent-platform/billing/memory"
import { EgressGuard } from "@agent-platform/egress"
import { atomic, type WorkspaceCaller } from "@agent-platform/kernel"
import { aCaller } from "@agent-platform/kernel/testing"
import { PlatformKeys, ProviderKeys, spendMonthAt, TenancyStore, ToolSecrets } from "@agent-platform/keys"
import { anOrganization, aWorkspace } from "@agent-platform/keys/testing"
import { makeChatRecipe } from "@agent-platform/models"
import { layerBilling, layerSpendGate, layerSpendGuard } from "@agent-platform/platform"
import { AgentRunner, type ModelCall, type ModelCallEnd, type Run, Runs, SpendGuard } from "@agent-platform/runs"
import { Context, DateTime, Effect, Layer } from "effect"
import { layerScriptedServer, ScriptedServer } from "../chat/ScriptedServer.ts"
import { stores } from "../chat/support.ts"

const rates = (
  input: string,
  cacheRead: string | undefined,
  cacheWrite: string | undefined,
  output: string
): Price => ({
  version: "prices@1",
  input: flatRate(input),
  cacheRead: cacheRead === undefined ? undefined : flatRate(cacheRead),
  cacheWrite: cacheWrite === undefined ? undefined : flatRate(cacheWrite),
  output: flatRate(output),
  reasoning: undefined,
  requestUsd: "0.00"
})

/** Prices by the name of the model: with a cache that is cheaper, with thirds that are rounded, by the request, and by tiers. */
export const PRICES: Readonly<Record<string, Price>> = {
  m0: rates("3", "0.3", "3.75", "15"),
  m1: rates("3.333333333333", undefined, undefined, "6.666666666667"),
  m2: { ...rates("1", "0.1", undefined, "2"), requestUsd: "0.001" },
  m3: { ...rates("2", undefined, undefined, "8"), input: { base: "2", tiers: [{ above: 300, usd: "4" }] } }
}

/** A call as the guard of a worker saw it; `end` is undefined where its worker died before it was settled. */
export interface SeenCall {
  readonly call: ModelCall
  readonly admitted: number
  end: ModelCallEnd | undefined
}

/** The guard's memory, and the runs whose next answer their worker does not live to settle. */
export class SeenCalls extends Context.Service<
  SeenCalls,
  { readonly calls: Array<SeenCall>; readonly dying: Set<string> }
>()("SeenCalls") {}

/** The parts of the guard or of the ledger that a test breaks. */
export interface Fault {
  readonly guard?: (guard: SpendGuard["Service"]) => Partial<SpendGuard["Service"]>
  readonly ledger?: (ledger: CallLedger["Service"]) => Partial<CallLedger["Service"]>
}

const layerSeen = (fault: Fault) =>
  Layer.effect(
    SpendGuard,
    Effect.gen(function* () {
      const guard = yield* SpendGuard
      const broken = { ...guard, ...fault.guard?.(guard) }
      const { calls, dying } = yield* SeenCalls
      return {
        reserve: (call) =>
          Effect.tap(broken.reserve(call), ({ outputTokensMax }) =>
            Effect.sync(() => calls.push({ call, admitted: outputTokensMax, end: undefined }))
          ),
        settle: (call, end) =>
          Effect.suspend(() => {
            if (dying.delete(call.run.prompt ?? "")) return Effect.succeed({ costUsd: null })
            const seen = calls.find((one) => one.call.id === call.id)
            if (seen !== undefined) seen.end = end
            return broken.settle(call, end)
          })
      }
    })
  ).pipe(Layer.provide(layerSpendGuard))

const layerPrices = Layer.succeed(PriceBook, { find: (_provider, model) => Effect.succeed(PRICES[model]) })

/** All stores in memory. */
export const memory = Layer.provideMerge(billingMemory, Layer.merge(stores, PlatformKeys.layer({})))

/** Chats over a scripted server, with a real ledger. */
export const layerOf = (
  fault: Fault = {},
  under: typeof memory = memory,
  prices: Layer.Layer<PriceBook> = layerPrices
) => {
  const ledger = Layer.effect(
    CallLedger,
    CallLedger.use((one) => Effect.succeed({ ...one, ...fault.ledger?.(one) }))
  )
  const out = EgressGuard.layer({ allowLoopback: true })
  const recipe = Effect.flatMap(ScriptedServer, ({ url }) =>
    makeChatRecipe({
      urls: { openai: `${url}/v1`, anthropic: `${url}/v1`, google: `${url}/v1beta`, googleToken: `${url}/token` }
    })
  )
  const runner = Layer.unwrap(Effect.map(recipe, (chat) => AgentRunner.layer([chat]))).pipe(Layer.provide(out))
  return Runs.layer.pipe(
    Layer.provideMerge(runner),
    Layer.provideMerge(
      Layer.mergeAll(ProviderKeys.layer, Layer.provide(ToolSecrets.layer, out), layerSeen(fault), layerSpendGate)
    ),
    Layer.provideMerge(layerBilling),
    Layer.provideMerge(Layer.mergeAll(ledger, prices)),
    Layer.provideMerge(under),
    Layer.provideMerge(Layer.succeed(SeenCalls, { calls: [], dying: new Set<string>() })),
    Layer.provideMerge(layerScriptedServer),
    Layer.fresh
  )
}

/** A caller in a workspace with this cap. */
export const capped = Effect.fnUntraced(function* (monthlyCapUsd: string | null) {
  const store = yield* TenancyStore
  const organization = anOrganization()
  const workspace = aWorkspace({ organizationId: organization.id, monthlyCapUsd })
  yield* atomic(Effect.andThen(store.insertOrganization(organization), store.insertWorkspace(workspace)))
  return aCaller({ organizationId: organization.id, workspaceId: workspace.id })
})

/** The calls of a run in the order in which they were made, with what the ledger has of each. */
export const entriesOf = Effect.fnUntraced(function* ({ id, workspaceId }: Pick<Run, "id" | "workspaceId">) {
  const ledger = yield* CallLedger
  const { calls } = yield* SeenCalls
  const all: Array<SeenCall & { readonly entry: LedgerEntry }> = []
  for (const seen of calls.filter(({ call }) => call.run.id === id)) {
    const entry = yield* ledger.find(workspaceId, CallId.make(seen.call.id))
    if (entry === undefined) return yield* Effect.die(new Error("A call that was admitted is in no ledger"))
    all.push({ ...seen, entry })
  }
  return all.sort((one, other) => one.entry.seq - other.entry.seq)
})

/** The month of the workspace, as the ledger has it. */
export const monthOf = Effect.fnUntraced(function* ({ organizationId, workspaceId }: WorkspaceCaller) {
  const store = yield* TenancyStore
  const workspace = yield* store.findWorkspace(organizationId, workspaceId)
  if (workspace === undefined) return yield* Effect.die(new Error("There is no workspace"))
  const { start } = spendMonthAt(workspace, yield* DateTime.now)
  return yield* CallLedger.use((ledger) => ledger.month(workspaceId, start))
})

/** Settles what nobody has settled. */
export const expireAll = Billing.use((billing) => billing.expireReservations())

/** The cost of these tokens at the price of a model, in USD. */
export const costAt = (model: string, usage: TokenUsage): string => {
  const price = PRICES[model]
  if (price === undefined) throw new Error(`There is no price of ${model}`)
  return costOf(price, usage)
}
