/** The recipe `demo` as deployments have it: off unless it is turned on, and never at the cost of a workspace's caller. */
import { OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { aCaller } from "@agent-platform/kernel/testing"
import { AgentStore } from "@agent-platform/runs"
import { anAgent as aDemoAgent } from "@agent-platform/runs/testing"
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, layerMemory, layerOver, layerWithWorkers, TestApi } from "./support.ts"

const AGENTS = "/api/v1/agents"
const RUNS = "/api/v1/runs/"

suite(layerOver(layerMemory, { demo: "off" }), { excludeTestServices: true })("without the recipe demo", (it) => {
  it.effect("no agent is made that uses it, and none that names no recipe", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey: key } = yield* api.tenant
      for (const body of [{ name: "A" }, { name: "A", recipe: "demo" }]) {
        const refused = yield* api.call("POST", AGENTS, { key, body })
        assert.strictEqual(refused.status, 422)
        assert.strictEqual(String(refused.json["code"]), "validation_failed")
        assert.strictEqual(String(refused.json["errors"]?.[0]?.["pointer"]), "/recipe")
      }
    })
  )

  it.effect("runs of agents that use it are refused", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { organizationId, workspaceId, workspaceKey: key } = yield* api.tenant
      const agent = aDemoAgent(
        aCaller({ organizationId: OrganizationId.make(organizationId), workspaceId: WorkspaceId.make(workspaceId) })
      )
      yield* UnitOfWork.use((unit) => unit.atomic(AgentStore.use((agents) => agents.insert(agent))))
      const body = { agent_id: agent.id }
      for (const [pointer, given] of [
        ["/agent_id", body],
        ["/recipe", { ...body, recipe: "demo" }]
      ] as const) {
        const refused = yield* api.call("POST", RUNS, { key, body: given })
        assert.strictEqual(refused.status, 422)
        assert.strictEqual(String(refused.json["errors"]?.[0]?.["pointer"]), pointer)
      }
    })
  )
})

suite(layerWithWorkers, { excludeTestServices: true })("an inbound webhook of a demo agent", (it) => {
  it.effect("sets no spending going, neither as the body nor through a map", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const agentId = yield* anAgent(tenant)
      const spend = { provider: "openai", model: "gpt-4o-mini", input_tokens: 1_000, output_tokens: 100 }
      const steps = [{ spend }, { return: 1 }]
      for (const [map, body] of [
        [{}, { steps }],
        [{ map: { steps: "/data" } }, { data: steps }]
      ] as const) {
        const hook = yield* api.call("POST", `${AGENTS}/${agentId}/webhooks`, { key, body: map })
        const { pathname } = new URL(String(hook.json["url"]))
        const accepted = yield* api.call("POST", pathname, { body })
        assert.strictEqual(accepted.status, 202)
        const run = yield* api.call("GET", `${RUNS}${accepted.json["run_id"]}?wait_seconds=30`, { key })
        assert.strictEqual(String(run.json["status"]), "failed")
        assert.strictEqual(String(run.json["error_code"]), "invalid_input")
        assert.strictEqual(String(run.json["cost_usd"]), "0.00")
      }
    })
  )
})
