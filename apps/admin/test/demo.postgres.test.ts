/** The data of the first `npm start`, among what was made since. */
import { freshId, OrganizationId, PAGE_LIMIT_MAX, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { Tenancy } from "@agent-platform/keys"
import { AgentId, AgentStore } from "@agent-platform/runs"
import { anAgent } from "@agent-platform/runs/testing"
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { ensureDemo } from "../src/demo.ts"
import { GRANTOR, OPERATOR } from "../src/operator.ts"
import { layer } from "./operating.ts"

suite(layer)("the demo", (it) => {
  it.effect("is found again behind a page of newer workspaces and agents", () =>
    Effect.gen(function* () {
      const first = yield* ensureDemo(null)
      const organizationId = OrganizationId.make(first.organization_id)
      const workspaceId = WorkspaceId.make(first.workspace_id)
      const tenancy = yield* Tenancy
      const agents = yield* AgentStore
      const unit = yield* UnitOfWork
      for (let made = 0; made < PAGE_LIMIT_MAX; made++) {
        yield* tenancy.createWorkspace({
          caller: { organizationId, actor: OPERATOR },
          by: GRANTOR,
          name: "Newer",
          timezone: "UTC",
          monthlyCapUsd: null,
          allowPlatformKeys: false,
          idempotency: undefined
        })
        const id = yield* freshId(AgentId)
        yield* unit.atomic(agents.insert(anAgent({ organizationId, workspaceId }, { id, name: "Newer" })))
      }
      const { agent_id, organization_id, workspace_id } = yield* ensureDemo(null)
      assert.deepInclude(first, { organization_id, workspace_id, agent_id })
    })
  )
})
