import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import { aCaller, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, type Layer } from "effect"
import { Agent } from "../Agent.ts"
import { AGENT_VERSIONS_MAX, versionOf } from "../AgentVersion.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { anAgent, BUILT_AT } from "./builders.ts"
import { givenAgent } from "./givenRuns.ts"

const LATER = DateTime.add(BUILT_AT, { seconds: 1 })

/** The contract of changes in every store of agents. */
export const agentChangesContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | AgentStore | Tenants, E>
) =>
  describe(`changes of agents over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const full: Partial<Agent> = {
        name: "É 💡",
        description: null,
        recipe: "http",
        recipes: [],
        tools: ["ask_user"],
        mcpServers: [
          { name: "a", url: "https://a.example/", sealedHeaders: "sealed", tools: ["search", "fetch"] },
          { name: "b", url: "https://b.example/", sealedHeaders: null, tools: null }
        ],
        endpoint: { url: "https://agents.example/run", sealedSecret: "sealed", retiring: null },
        maxCostUsd: "1.50",
        inputSchema: { type: "object", properties: { a: { type: ["string", "null"] } } }
      }

      it.effect("gives back every setting as it was inserted, and as it was changed", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const made = yield* givenAgent(full)
          assert.deepStrictEqual(yield* store.find(made.workspaceId, made.id), made)
          const plain = yield* givenAgent()
          const after = Agent.changed(plain, full, LATER)
          yield* atomic(store.update(after))
          assert.deepStrictEqual(yield* store.find(plain.workspaceId, plain.id), after)
          const { archivedAt, createdAt, id, organizationId, updatedAt, version, workspaceId, ...settings } = plain
          const back = Agent.changed(after, settings, LATER)
          yield* atomic(store.update(back))
          assert.deepStrictEqual(yield* store.recall(plain.workspaceId, plain.id), { ...back, version: 3 })
        })
      )

      it.effect("keeps every version without its secrets, and gives them back page by page", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const first = yield* givenAgent()
          const second = Agent.changed(first, full, LATER)
          const third = Agent.archived(second, LATER)
          for (const agent of [second, third]) yield* atomic(store.update(agent))
          const versions = (limit: number, before?: string) =>
            store.versions(first.workspaceId, first.id, { limit, before })
          const latest = yield* versions(2)
          assert.deepStrictEqual(latest.items, [versionOf(third), versionOf(second)])
          assert.notInclude(JSON.stringify(latest), "sealed")
          assert.deepStrictEqual(yield* versions(2, latest.next), { items: [versionOf(first)], next: undefined })
          assert.isEmpty(
            (yield* store.versions(aCaller().workspaceId, first.id, { limit: 2, before: undefined })).items
          )
        })
      )

      it.effect("forgets versions that are too old, and changes none that it has kept", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const first = yield* givenAgent()
          const at = (version: number, name = `Name ${version}`) => ({ ...first, name, version })
          const numbers = Array.from({ length: AGENT_VERSIONS_MAX }, (_, index) => index + 2)
          yield* atomic(Effect.forEach(numbers, (version) => store.update(at(version)), { discard: true }))
          yield* atomic(store.update(at(AGENT_VERSIONS_MAX + 1, "Other")))
          const kept = yield* store.versions(first.workspaceId, first.id, { limit: 500, before: undefined })
          assert.deepStrictEqual(
            kept.items.map(({ settings, version }) => [version, settings.name]),
            numbers.map((version) => [version, `Name ${version}`]).reverse()
          )
        })
      )

      it.effect("changes nothing of a transaction that fails", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const agent = yield* givenAgent()
          const update = store.update(Agent.changed(agent, { name: "Other" }, LATER))
          yield* Effect.exit(atomic(Effect.andThen(update, Effect.fail("no"))))
          assert.deepStrictEqual(yield* store.find(agent.workspaceId, agent.id), agent)
        })
      )

      it.effect("leaves an archived agent out of lists and findings, and recalls it", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const agent = yield* givenAgent()
          const after = Agent.archived(agent, LATER)
          yield* atomic(store.update(after))
          assert.isUndefined(yield* store.find(agent.workspaceId, agent.id))
          assert.isEmpty((yield* store.list(agent.workspaceId, { limit: 5, before: undefined })).items)
          assert.deepStrictEqual(yield* store.recall(agent.workspaceId, agent.id), after)
          assert.deepStrictEqual(yield* atomic(store.hold(agent.workspaceId, agent.id)), after)
        })
      )

      it.effect("keeps an agent from being archived while somebody counts on its living", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const agent = yield* givenAgent()
          const [held, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const order: Array<string> = []
          const counting = Effect.gen(function* () {
            assert.deepStrictEqual(yield* store.holdLive([agent], "wait"), [agent])
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(letGo)
            order.push("counted")
          })
          const archiving = Effect.gen(function* () {
            const before = yield* store.hold(agent.workspaceId, agent.id)
            order.push("archived")
            yield* store.update(Agent.archived(before!, LATER))
          })
          const first = yield* Effect.forkChild(atomic(counting))
          yield* Deferred.await(held)
          const second = yield* Effect.forkChild(atomic(archiving))
          yield* Effect.yieldNow
          yield* Deferred.succeed(letGo, undefined)
          yield* Fiber.join(first)
          yield* Fiber.join(second)
          assert.deepStrictEqual(order, ["counted", "archived"])
          const strange = { id: agent.id, workspaceId: aCaller().workspaceId }
          assert.deepStrictEqual(yield* atomic(store.holdLive([agent, strange], "wait")), [undefined, undefined])
        })
      )

      it.effect("holds several living agents of several workspaces at once, each in its place", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const [one, two, old] = [yield* givenAgent(), yield* givenAgent(), yield* givenAgent()]
          yield* atomic(Effect.andThen(store.hold(old.workspaceId, old.id), store.update(Agent.archived(old, LATER))))
          const asked = [two, one, { ...one, workspaceId: two.workspaceId }, old, two, anAgent()]
          for (const whenHeld of ["wait", "skip"] as const) {
            const held = yield* atomic(store.holdLive(asked, whenHeld))
            assert.deepStrictEqual(held, [two, one, undefined, undefined, two, undefined])
          }
        })
      )

      it.effect("recalls and holds an agent for its own workspace alone", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const agent = yield* givenAgent()
          const other = aCaller().workspaceId
          assert.isUndefined(yield* store.recall(other, agent.id))
          assert.isUndefined(yield* atomic(store.hold(other, agent.id)))
        })
      )

      it.effect("loses no change of twelve that are made at once", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const { id, workspaceId } = yield* givenAgent()
          const count = Effect.gen(function* () {
            const held = yield* store.hold(workspaceId, id)
            yield* Effect.yieldNow
            yield* store.update(Agent.changed(held!, { tools: [...held!.tools, "x"] }, LATER))
          })
          yield* Effect.forEach(Array.from({ length: 12 }), () => atomic(count), { concurrency: "unbounded" })
          const after = yield* store.find(workspaceId, id)
          assert.deepStrictEqual([after?.tools.length, after?.version], [12, 13])
        })
      )
    })
  })
