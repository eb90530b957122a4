import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import { aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { AgentStore } from "../ports/AgentStore.ts"
import { anAgent } from "./builders.ts"

/** The contract of every store of agents. */
export const agentStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | AgentStore | Tenants, E>
) =>
  describe(`agent store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const insert = (...agents: ReadonlyArray<ReturnType<typeof anAgent>>) =>
        atomic(AgentStore.use((store) => Effect.forEach(agents, store.insert, { discard: true })))

      it.effect("gives back an agent as it was written, to its own workspace alone", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const agent = anAgent(yield* aTenant(), {
            description: "é",
            recipes: ["demo", "chat"],
            model: "gpt",
            instructions: "Be kind",
            modelSettings: {
              temperature: 0.5,
              stop: ["END"],
              outputSchema: { type: "object" },
              toolChoice: { name: "f" }
            },
            functionTools: [{ name: "f", description: "é", parameters: { type: "object" } }],
            approvals: ["*"],
            overridable: ["model", "maxOutputTokens"],
            maxCostUsd: "0.50"
          })
          yield* insert(agent)
          assert.deepStrictEqual(yield* store.find(agent.workspaceId, agent.id), agent)
          assert.isUndefined(yield* store.find((yield* aTenant()).workspaceId, agent.id))
        })
      )

      it.effect("tells the names of a workspace's agents, archived ones included, and of no other's", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const [caller, beside, stranger] = [yield* aTenant(), yield* aTenant(), yield* aTenant()]
          const agents = [
            anAgent(caller, { name: "One" }),
            anAgent(caller, { name: "Gone", archivedAt: DateTime.makeUnsafe("2026-11-22T08:00:00Z") }),
            anAgent(beside, { name: "Two" }),
            anAgent(stranger, { name: "Theirs" })
          ]
          yield* insert(...agents)
          const ids = agents.map(({ id }) => id)
          const names = yield* store.names([caller.workspaceId, beside.workspaceId], ids)
          assert.deepStrictEqual([...names.values()].sort(), ["Gone", "One", "Two"])
          assert.strictEqual((yield* store.names([caller.workspaceId], ids.slice(2))).size, 0)
        })
      )

      it.effect(
        "lets five of twenty who create agents at once create them, where five is what the workspace may have",
        () =>
          Effect.gen(function* () {
            const store = yield* AgentStore
            const [caller, other] = [yield* aTenant(), yield* aTenant()]
            yield* insert(anAgent(other), anAgent(caller, { archivedAt: DateTime.makeUnsafe("2026-11-22T08:00:00Z") }))
            const create = Effect.gen(function* () {
              if ((yield* store.holdCount(caller.workspaceId, 5)) >= 5) return
              yield* store.insert(anAgent(caller))
            })
            yield* Effect.forEach(Array.from({ length: 20 }), () => atomic(create), { concurrency: "unbounded" })
            assert.strictEqual(yield* atomic(store.holdCount(caller.workspaceId, 100)), 5)
            assert.strictEqual(yield* atomic(store.holdCount(caller.workspaceId, 3)), 3)
            assert.strictEqual(yield* atomic(store.holdCount(other.workspaceId, 100)), 1)
          })
      )

      it.effect("lists a workspace's agents, newest first, page by page, while others are being added", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const caller = yield* aTenant()
          const agents = Array.from({ length: 5 }, () => anAgent(caller))
          yield* insert(...agents, anAgent(yield* aTenant()))
          const newest = agents.map((agent) => agent.id).reverse()
          const first = yield* store.list(caller.workspaceId, { limit: 2, before: undefined })
          assert.deepStrictEqual(
            first.items.map((agent) => agent.id),
            newest.slice(0, 2)
          )
          yield* insert(anAgent(caller))
          const second = yield* store.list(caller.workspaceId, { limit: 3, before: first.next })
          assert.deepStrictEqual(
            second.items.map((agent) => agent.id),
            newest.slice(2)
          )
          assert.isUndefined(second.next)
        })
      )
    })
  })
