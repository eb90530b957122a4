/** The ledger's months, and what its statements look at. */
import { CallId, CallLedger } from "@agent-platform/billing"
import { aBilledRun, aCallEnd, aReservation } from "@agent-platform/billing/testing"
import { firstIdAt, UnitOfWork } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { PgCallLedger, PgUnitOfWork } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerBilledRuns } from "./support/billedRuns.ts"
import { analyze, databaseLayer } from "./support/database.ts"
import { explained } from "./support/explained.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = Layer.mergeAll(PgUnitOfWork.layer, PgCallLedger.layer, layerTenants, layerBilledRuns).pipe(
  Layer.provideMerge(databaseLayer)
)

/** A call's id of that time. */
const idAt = (at: DateTime.Utc) => CallId.make(firstIdAt(at).slice(0, 13) + anId(CallId).slice(13))

suite(layer, { excludeTestServices: true })("the ledger in Postgres", (it) => {
  it.effect("keeps calls by the month of their ids, and makes a partition for a month that came without", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ledger = yield* CallLedger
      const unit = yield* UnitOfWork
      const far = DateTime.makeUnsafe("2031-05-31T23:59:59.999Z")
      const run = yield* aBilledRun()
      const calls = [idAt(far), idAt(DateTime.add(far, { milliseconds: 1 }))].map((id) => aReservation({ ...run, id }))
      for (const call of calls) {
        yield* ledger.reserve(call)
        yield* unit.atomic(ledger.settle(call.workspaceId, call.id, aCallEnd()))
      }
      const places = sql<{ readonly place: string }>`
        select tableoid::regclass::text as place from model_call where workspace_id = ${run.workspaceId} order by id
      `.pipe(Effect.map((rows) => rows.map(({ place }) => place)))
      assert.deepStrictEqual(yield* places, ["model_call_default", "model_call_default"])
      yield* unit.atomic(ledger.prepareMonths(far, DateTime.add(far, { months: 1 })))
      assert.deepStrictEqual(yield* places, ["model_call_2031_05", "model_call_2031_06"])
      for (const call of calls) assert.isDefined(yield* ledger.find(call.workspaceId, call.id))
      const again = yield* unit.atomic(ledger.settle(run.workspaceId, calls[0]!.id, aCallEnd()))
      assert.strictEqual(again._tag, "AlreadySettled")
    })
  )

  it.effect("admits and settles a call by one statement each, through its keys, however many others there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const run = yield* aBilledRun()
      yield* sql`
        insert into workspace_spend (organization_id, workspace_id, period_start, period_end)
        select ${run.organizationId}::uuid, ${run.workspaceId}::uuid, '2000-01-01'::timestamptz + n * interval '1 hour', now()
        from generate_series(1, 5000) as n
      `
      yield* sql`
        insert into call_reservation (
          organization_id, workspace_id, id, run_id, session_id, agent_id, seq, attempt, provider, request_model,
          key_source, input_tokens_max, output_tokens_max, period_start, called_at, expires_at
        )
        select ${run.organizationId}::uuid, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
          gen_random_uuid(), 1, 1, '', '', 'platform', 1, 1, now(), now(), now() + interval '1 hour'
        from generate_series(1, 5000)
      `
      yield* analyze
      const call = aReservation({ ...run, workspaceCapUsd: "1.00", runCapUsd: "1.00" })
      const unit = yield* UnitOfWork
      const looked = <A>(act: (ledger: CallLedger["Service"]) => Effect.Effect<A>) =>
        explained(Layer.fresh(PgCallLedger.layer), CallLedger.use(act))
      const reserved = yield* looked((ledger) => ledger.reserve(call))
      assert.match(reserved.plan, /workspace_spend_pkey/)
      assert.notMatch(reserved.plan, /Seq Scan on (workspace_spend|call_reservation)/)
      const settled = yield* looked((ledger) => unit.atomic(ledger.settle(call.workspaceId, call.id, aCallEnd())))
      assert.match(settled.plan, /call_reservation_pkey/)
      assert.notMatch(settled.plan, /Seq Scan on (workspace_spend|call_reservation) /)
      const expired = yield* looked((ledger) => ledger.expired({ max: 10 }))
      assert.match(expired.plan, /call_reservation_expiry/)
      assert.deepStrictEqual([reserved.statements, settled.statements, expired.statements], [1, 1, 1])
    })
  )
})
