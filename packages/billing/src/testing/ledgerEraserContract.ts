import { atomic, ERASED_ID } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { CallLedger } from "../ports/CallLedger.ts"
import { LedgerEraser } from "../ports/LedgerEraser.ts"
import { aBilledRun, aCallEnd, aReservation, type BilledRun, NOVEMBER } from "./BilledRuns.ts"
import type { LedgerPorts } from "./callLedgerContract.ts"

/** The contract of every eraser of the ledger. */
export const ledgerEraserContract = <E>(adapter: string, adapterLayer: Layer.Layer<LedgerPorts | LedgerEraser, E>) =>
  describe(`eraser of the ledger over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const reserved = (run: BilledRun) =>
        Effect.gen(function* () {
          const call = aReservation(run)
          yield* CallLedger.use((ledger) => ledger.reserve(call))
          return call
        })
      const settle = (call: ReturnType<typeof aReservation>) =>
        CallLedger.use((ledger) => atomic(ledger.settle(call.workspaceId, call.id, aCallEnd())))
      const find = ({ id, workspaceId }: ReturnType<typeof aReservation>) =>
        CallLedger.use((ledger) => ledger.find(workspaceId, id))
      const erase = (what: Parameters<LedgerEraser["Service"]["erase"]>[0]) =>
        LedgerEraser.use((eraser) => atomic(eraser.erase(what, 100)))

      it.effect("takes run and session out of calls, also of one that is settled later, and changes no sum", () =>
        Effect.gen(function* () {
          const run = yield* aBilledRun()
          const [one, other] = [yield* reserved(run), yield* reserved(run)]
          yield* settle(one)
          const month = CallLedger.use((ledger) => ledger.month(run.workspaceId, NOVEMBER.start))
          const [before, entry] = [yield* month, yield* find(one)]
          const what = { _tag: "Resources", ...run, ids: [run.runId] } as const
          assert.strictEqual((yield* erase(what)).counts["model_calls"], 2)
          assert.deepStrictEqual(yield* month, before)
          assert.deepStrictEqual(yield* find(one), { ...entry!, runId: ERASED_ID, sessionId: ERASED_ID })
          yield* settle(other)
          assert.deepInclude(yield* find(other), { runId: ERASED_ID, sessionId: ERASED_ID, agentId: run.agentId })
          assert.strictEqual((yield* erase(what)).counts["model_calls"], 0)
        })
      )

      it.effect("knows of which workspaces anything is counted, or may be", () =>
        Effect.gen(function* () {
          const [used, unused] = [yield* aBilledRun(), yield* aBilledRun()]
          const eraser = yield* LedgerEraser
          assert.isFalse(yield* eraser.isCounted(used.workspaceId))
          const call = yield* reserved(used)
          assert.isTrue(yield* eraser.isCounted(used.workspaceId))
          yield* settle(call)
          yield* erase({ _tag: "Tenant", organizationId: used.organizationId, workspaceId: used.workspaceId })
          assert.isTrue(yield* eraser.isCounted(used.workspaceId))
          assert.isFalse(yield* eraser.isCounted(unused.workspaceId))
        })
      )

      it.effect("takes run and session out of all calls of a workspace, and of no other", () =>
        Effect.gen(function* () {
          const [run, foreign] = [yield* aBilledRun(), yield* aBilledRun()]
          const [mine, theirs] = [yield* reserved(run), yield* reserved(foreign)]
          yield* settle(mine)
          yield* settle(theirs)
          const { organizationId, workspaceId } = run
          while (!(yield* erase({ _tag: "Tenant", organizationId, workspaceId })).isOver);
          assert.strictEqual((yield* find(mine))?.runId, ERASED_ID)
          assert.strictEqual((yield* find(theirs))?.runId, foreign.runId)
        })
      )
    })
  })
