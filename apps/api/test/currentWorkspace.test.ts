/** The workspace of a request, and what it spends. Spec: Identity and API keys. */
import { CallLedger } from "@agent-platform/billing"
import { aCallEnd, aReservation } from "@agent-platform/billing/testing"
import { OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { layer as layerApi, type Tenant, TestApi } from "./support.ts"

const WORKSPACES = "/api/v1/org/workspaces"
const CURRENT = "/api/v1/auth/workspace"

/** The moment in which a month begins in UTC, so many months from now. */
const monthInUtc = (now: DateTime.Utc, offset: number) =>
  DateTime.formatIso(DateTime.add(DateTime.startOf(now, "month"), { months: offset }))

layer(layerApi, { excludeTestServices: true })("the current workspace", (it) => {
  /** Counts a model call of a run of the workspace, which has cost so much. */
  const aCallThatCost = ({ organizationId, workspaceId }: Tenant, costUsd: string) =>
    Effect.gen(function* () {
      const ledger = yield* CallLedger
      const unit = yield* UnitOfWork
      const now = yield* DateTime.now
      const start = DateTime.startOf(now, "month")
      const period = { start, end: DateTime.add(start, { months: 1 }) }
      const call = aReservation({
        organizationId: OrganizationId.make(organizationId),
        workspaceId: WorkspaceId.make(workspaceId),
        period
      })
      yield* ledger.reserve(call)
      yield* unit.atomic(ledger.settle(call.workspaceId, call.id, aCallEnd({ costUsd })))
    })

  describe("GET /api/v1/auth/workspace", () => {
    it.effect("answers 200 with the workspace of the key and its month in UTC, in which nothing was spent", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const before = yield* DateTime.now
        const { json, status } = yield* api.call("GET", CURRENT, { key: tenant.workspaceKey })
        assert.strictEqual(status, 200)
        const { created_at, spend_cap, ...rest } = json as unknown as Record<string, unknown>
        assert.match(String(created_at), /Z$/)
        assert.deepStrictEqual(rest, {
          id: tenant.workspaceId,
          name: "Main",
          organization_id: tenant.organizationId,
          timezone: "UTC",
          next_timezone: null
        })
        assert.deepStrictEqual(spend_cap, {
          monthly_cap_usd: null,
          spent_usd: "0.00",
          reserved_usd: "0.00",
          period_start: monthInUtc(before, 0),
          period_end: monthInUtc(before, 1),
          status: "ok"
        })
      })
    )

    it.effect("adds up what the workspace's model calls have cost, and says how that stands to the cap", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [tenant, other] = [yield* api.tenant, yield* api.tenant]
        yield* api.call("PATCH", `${WORKSPACES}/${tenant.workspaceId}`, {
          key: tenant.orgKey,
          body: { monthly_cap_usd: "1.00" }
        })
        const spent = Effect.map(api.call("GET", CURRENT, { key: tenant.workspaceKey }), ({ json }) => {
          const cap = json["spend_cap"]!
          return `${cap["spent_usd"]} ${cap["status"]}`
        })
        yield* aCallThatCost(other, "100.00")
        yield* aCallThatCost(tenant, "0.799999999999")
        assert.strictEqual(yield* spent, "0.799999999999 ok")
        yield* aCallThatCost(tenant, "0.000000000001")
        assert.strictEqual(yield* spent, "0.80 near")
        yield* aCallThatCost(tenant, "0.20")
        assert.strictEqual(yield* spent, "1.00 reached")
      })
    )

    it.effect("answers 400 to an organization key that names no workspace, and 404 to one it does not reach", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [mine, foreign] = [yield* api.tenant, yield* api.tenant]
        const codeFor = (headers: Record<string, string>) =>
          Effect.map(
            api.call("GET", CURRENT, { key: mine.orgKey, headers }),
            ({ json, status }) => `${status} ${json["code"]}`
          )
        assert.strictEqual(yield* codeFor({}), "400 workspace_required")
        for (const named of [foreign.workspaceId, "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77", "nonsense"]) {
          const { json, status } = yield* api.call("GET", CURRENT, {
            key: mine.orgKey,
            headers: { "x-workspace-id": named }
          })
          assert.strictEqual(
            `${status} ${json["code"]} ${json["detail"]}`,
            "404 not_found There is no such resource: X-Workspace-Id must be the id of a workspace that you can see",
            named
          )
        }
        assert.strictEqual(yield* codeFor({ "x-workspace-id": mine.workspaceId }), "200 undefined")
      })
    )
  })
})
