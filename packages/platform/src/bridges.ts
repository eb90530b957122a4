/** Ports of one domain, implemented by another. */
import {
  type Admission,
  Billing,
  CallId,
  CallLedger,
  capStatus,
  type ReserveCall,
  RunCosts,
  WorkspaceCaps
} from "@agent-platform/billing"
import { spendMonthAt, TenancyStore, WorkspaceSpend } from "@agent-platform/keys"
import {
  CapReached,
  type ModelCall,
  type Run,
  RunId,
  RunSettlement,
  SpendGate,
  SpendGuard,
  SpendRefused,
  StartSubscribers,
  WorkspaceClosed
} from "@agent-platform/runs"
import { EndpointStore } from "@agent-platform/webhooks"
import { DateTime, Effect, Layer } from "effect"

/** The spending of workspaces, by the ledger of model calls. */
export const layerWorkspaceSpend: Layer.Layer<WorkspaceSpend, never, CallLedger> = Layer.effect(
  WorkspaceSpend,
  Effect.map(CallLedger, (ledger) => ({
    read: (workspaceId, period, capUsd) =>
      Effect.map(ledger.month(workspaceId, period.start), (month) => ({
        spentUsd: month?.spentUsd ?? "0.00",
        reservedUsd: month?.reservedUsd ?? "0.00",
        status: capStatus(month, capUsd)
      }))
  }))
)

/** The caps and months of workspaces, as tenancy keeps them. An erased workspace still has a month, for calls that are settled late. */
export const layerWorkspaceCaps: Layer.Layer<WorkspaceCaps, never, TenancyStore> = Layer.effect(
  WorkspaceCaps,
  Effect.map(TenancyStore, (tenancy) => ({
    read: (organizationId, workspaceId, at) =>
      Effect.flatMap(tenancy.findKeptWorkspace(organizationId, workspaceId), (workspace) => {
        if (workspace === undefined) return Effect.die(new Error(`There is no workspace ${workspaceId}`))
        const { end, month, start } = spendMonthAt(workspace, at)
        return Effect.succeed({ monthlyCapUsd: workspace.monthlyCapUsd, period: { start, end }, month })
      })
  }))
)

/** The costs of runs, which are added to the runs themselves. */
export const layerRunCosts: Layer.Layer<RunCosts, never, RunSettlement> = Layer.effect(
  RunCosts,
  Effect.map(RunSettlement, (settlement) => ({
    add: (workspaceId, runId, usage, costUsd) => settlement.addUsage(workspaceId, RunId.make(runId), { usage, costUsd })
  }))
)

/** Billing with the workspaces and runs of this platform. */
export const layerBilling = Layer.provide(Billing.layer, Layer.merge(layerWorkspaceCaps, layerRunCosts))

/** A call of a run as billing knows it. */
const callOf = ({ payer, run, ...call }: ModelCall): ReserveCall => ({
  id: CallId.make(call.id),
  ...originOf(run),
  provider: call.provider,
  requestModel: call.requestModel,
  keySource: payer.source,
  keyId: payer.source === "byok" ? payer.keyId : null,
  inputTokensMax: call.inputTokensMax,
  outputTokensMax: call.outputTokensMax,
  outputTokensMin: call.outputTokensMin,
  outputTokensUsual: call.outputTokensUsual,
  reported: call.reported,
  runCapUsd: run.maxCostUsd
})

const originOf = ({ agentId, attempt, id, organizationId, sessionId, workspaceId }: Run) => ({
  organizationId,
  workspaceId,
  runId: id,
  sessionId,
  agentId,
  attempt
})

/** The settlement of a call that was given up while it was being admitted: nothing was sent. */
const withdrawn = (call: ReserveCall) =>
  Effect.map(DateTime.now, (startedAt) => ({
    call,
    status: "aborted" as const,
    errorCode: null,
    finishReason: null,
    responseModel: null,
    startedAt,
    durationMillis: 0,
    timeToFirstTokenMillis: null,
    usage: undefined,
    sent: false
  }))

/**
 * Model calls are admitted and settled by billing. This process remembers each admission, with its price, until the call is settled. A call
 * that another process settles is counted at the price that holds when it does.
 */
export const layerSpendGuard: Layer.Layer<SpendGuard, never, Billing> = Layer.effect(
  SpendGuard,
  Effect.map(Billing, (billing) => {
    const admissions = new Map<string, Admission>()
    return SpendGuard.of({
      reserve: (call) =>
        billing.reserveCall(callOf(call)).pipe(
          Effect.tap((admission) => Effect.sync(() => admissions.set(call.id, admission))),
          Effect.map(({ outputTokensMax }) => ({ outputTokensMax })),
          // An interrupted call may have been admitted all the same, and nobody else would settle it.
          Effect.onInterrupt(() => Effect.exit(Effect.flatMap(withdrawn(callOf(call)), billing.settleCall))),
          Effect.catchTags({
            CapReached: ({ message }) => Effect.fail(new SpendRefused({ errorCode: "cap_reached", detail: message })),
            CallExceedsCap: ({ message }) =>
              Effect.fail(new SpendRefused({ errorCode: "call_exceeds_cap", detail: message })),
            ModelUnpriced: ({ message }) =>
              Effect.fail(new SpendRefused({ errorCode: "model_unpriced", detail: message }))
          })
        ),
      settle: (call, end) =>
        billing.settleCall({ call: callOf(call), admission: admissions.get(call.id), ...end }).pipe(
          Effect.map(({ costUsd }) => ({ costUsd })),
          Effect.tap(() => Effect.sync(() => admissions.delete(call.id)))
        )
    })
  })
)

/** Runs are admitted while their workspace is open and billing lets it spend. */
export const layerSpendGate: Layer.Layer<SpendGate, never, Billing | TenancyStore> = Layer.effect(
  SpendGate,
  Effect.gen(function* () {
    const billing = yield* Billing
    const tenancy = yield* TenancyStore
    const admit: SpendGate["Service"]["admit"] = Effect.fnUntraced(function* ({ organizationId, workspaceId }) {
      const [workspace, mayBegin] = yield* Effect.all(
        [tenancy.findWorkspace(organizationId, workspaceId), billing.mayBeginRuns(organizationId, workspaceId)],
        { concurrency: 2 }
      )
      if (workspace === undefined) return yield* new WorkspaceClosed()
      if (!mayBegin) return yield* new CapReached()
    })
    return SpendGate.of({ admit })
  })
)

/** `run.started` is published for workspaces with an endpoint that names this event. */
export const layerStartSubscribers: Layer.Layer<never, never, EndpointStore> = Layer.effect(
  StartSubscribers,
  Effect.map(EndpointStore, (endpoints) => (workspaces) => endpoints.naming("run.started", workspaces))
)
