import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import type { Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { Agent, endpointSecretPlace, mcpHeadersPlace } from "../Agent.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { BUILT_AT } from "./builders.ts"
import { givenAgent } from "./givenRuns.ts"

const LATER = DateTime.add(BUILT_AT, { seconds: 1 })

/** More than there are. */
const ALL = 1_000_000

/** Servers of these names, each with headers of its own. */
const servers = (...names: ReadonlyArray<string>): Agent["mcpServers"] =>
  names.map((name) => ({ name, url: `https://${name}.example/`, sealedHeaders: `v1.k1.${name}`, tools: [name] }))

/** The contract of the sealed secrets in every store of agents. */
export const agentSecretsContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | AgentStore | Tenants, E>
) =>
  describe(`secrets of agents over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      /** An agent with everything that can be sealed, and a server that has nothing. */
      const full = (override: Partial<Agent> = {}) =>
        givenAgent({
          mcpServers: [
            ...servers("b", "a"),
            { name: "open", url: "https://open.example/", sealedHeaders: null, tools: null },
            ...servers("a/b")
          ],
          endpoint: {
            url: "https://agents.example/run",
            sealedSecret: "v1.k1.endpoint",
            retiring: { sealed: "v1.k1.retiring", expiresAt: LATER }
          },
          ...override
        })

      /** The sealed values of one agent, by their places. */
      const sealedOf = Effect.fnUntraced(function* (agent: Agent) {
        const all = yield* AgentStore.use((store) => store.sealedSecrets(undefined, ALL))
        return all.filter(({ place }) => place.includes(agent.id))
      })

      const valueAt = Effect.fnUntraced(function* (agent: Agent, place: string) {
        const found = (yield* sealedOf(agent)).find((value) => value.place === place)
        if (found === undefined) return yield* Effect.die(new Error(`Nothing is sealed at ${place}`))
        return found
      })

      const expected = (agent: Agent) => [
        { place: endpointSecretPlace(agent), sealed: "v1.k1.endpoint" },
        { place: endpointSecretPlace(agent), sealed: "v1.k1.retiring" },
        ...["b", "a", "a/b"].map((name) => ({ place: mcpHeadersPlace(agent, { name }), sealed: `v1.k1.${name}` }))
      ]

      it.effect(
        "knows an agent's endpoint secret and the headers of each server, of every tenant, archived or not",
        () =>
          Effect.gen(function* () {
            const agents = [yield* full(), yield* full({ archivedAt: LATER }), yield* full()]
            for (const agent of agents) {
              const found = yield* sealedOf(agent)
              assert.sameDeepMembers(
                found.map(({ place, sealed }) => ({ place, sealed })),
                expected(agent)
              )
            }
          })
      )

      it.effect("walks them once each in one order, whatever is replaced on the way", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          yield* full()
          yield* full()
          const all = yield* store.sealedSecrets(undefined, ALL)
          const walked: Array<string> = []
          for (let next = yield* store.sealedSecrets(undefined, 3); next.length > 0; ) {
            assert.isAtMost(next.length, 3)
            walked.push(...next.map(({ position }) => position))
            yield* atomic(Effect.forEach(next, (value) => store.replaceSealedSecret(value, `${value.sealed}.again`)))
            next = yield* store.sealedSecrets(next.at(-1)?.position, 3)
          }
          assert.deepStrictEqual(
            walked,
            all.map(({ position }) => position)
          )
          assert.strictEqual(new Set(walked).size, walked.length)
          assert.deepStrictEqual(
            yield* store.sealedSecrets(undefined, ALL),
            all.map((value) => ({ ...value, sealed: `${value.sealed}.again` }))
          )
        })
      )

      it.effect("has nothing of an agent without secrets, nor of one from which they were taken", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          assert.isEmpty(yield* sealedOf(yield* givenAgent()))
          const agent = yield* full()
          const before = yield* sealedOf(agent)
          yield* atomic(store.update(Agent.changed(agent, { endpoint: null, mcpServers: [] }, LATER)))
          assert.isEmpty(yield* sealedOf(agent))
          for (const value of before) assert.isFalse(yield* atomic(store.replaceSealedSecret(value, "v1.k2.no")))
        })
      )

      it.effect("puts a value in the place of the one that was read, and changes nothing else of the agent", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const made = yield* full()
          const other = yield* full()
          const agent = Agent.archived(made, LATER)
          yield* atomic(store.update(agent))
          for (const place of [endpointSecretPlace(agent), mcpHeadersPlace(agent, { name: "a" })]) {
            const value = yield* valueAt(agent, place)
            assert.isFalse(yield* atomic(store.replaceSealedSecret({ ...value, sealed: "v1.k0.old" }, "v1.k2.no")))
            assert.isTrue(yield* atomic(store.replaceSealedSecret(value, "v1.k2.new")))
            assert.isFalse(yield* atomic(store.replaceSealedSecret(value, "v1.k3.no")))
          }
          const retiring = (yield* sealedOf(agent)).find(({ sealed }) => sealed === "v1.k1.retiring")!
          assert.isTrue(yield* atomic(store.replaceSealedSecret(retiring, "v1.k2.old")))
          const [b, , ...rest] = agent.mcpServers
          assert.deepStrictEqual(yield* store.recall(agent.workspaceId, agent.id), {
            ...agent,
            endpoint: {
              ...agent.endpoint!,
              sealedSecret: "v1.k2.new",
              retiring: { sealed: "v1.k2.old", expiresAt: LATER }
            },
            mcpServers: [b!, { ...servers("a")[0]!, sealedHeaders: "v1.k2.new" }, ...rest]
          })
          assert.deepStrictEqual(yield* store.find(other.workspaceId, other.id), other)
        })
      )

      it.effect("replaces nothing in a transaction that fails", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const agent = yield* full()
          const values = yield* sealedOf(agent)
          const replace = Effect.forEach(values, (value) => store.replaceSealedSecret(value, "v1.k2.no"))
          yield* Effect.exit(atomic(Effect.andThen(replace, Effect.fail("no"))))
          assert.deepStrictEqual(yield* store.find(agent.workspaceId, agent.id), agent)
        })
      )

      it.effect("loses neither a replacement nor another change of twelve that are made at once", () =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const names = ["a", "b", "c", "d", "e"]
          const endpoint = { url: "https://agents.example/run", sealedSecret: "v1.k1.endpoint", retiring: null }
          const agent = yield* givenAgent({ mcpServers: servers(...names), endpoint })
          const values = yield* sealedOf(agent)
          const replacing = values.map((value) => atomic(store.replaceSealedSecret(value, `${value.sealed}.again`)))
          const changing = values.map(() =>
            atomic(
              Effect.gen(function* () {
                const held = yield* store.hold(agent.workspaceId, agent.id)
                yield* Effect.yieldNow
                yield* store.update(Agent.changed(held!, { tools: [...held!.tools, "x"] }, LATER))
                return true
              })
            )
          )
          const mixed = replacing.flatMap((one, index) => [one, changing[index]!])
          const done = yield* Effect.all(mixed, { concurrency: "unbounded" })
          assert.deepStrictEqual(
            done,
            mixed.map(() => true)
          )
          const after = yield* store.find(agent.workspaceId, agent.id)
          assert.deepStrictEqual([after?.tools.length, after?.version], [values.length, values.length + 1])
          assert.deepStrictEqual(
            yield* sealedOf(agent),
            values.map((value) => ({ ...value, sealed: `${value.sealed}.again` }))
          )
        })
      )
    })
  })
