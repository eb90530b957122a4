import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import { anId, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import { AgentId } from "../Agent.ts"
import { InboundWebhook, webhookSecretPlace } from "../InboundWebhook.ts"
import type { AgentStore } from "../ports/AgentStore.ts"
import { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"
import { BUILT_AT, hashOf } from "./builders.ts"
import { at, givenAgent } from "./givenRuns.ts"

/** The contract of every store of inbound webhooks. */
export const inboundWebhookStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | AgentStore | InboundWebhookStore | Tenants, E>
) =>
  describe(`inbound webhook store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const put = (webhook: InboundWebhook) => atomic(InboundWebhookStore.use((store) => store.put(webhook)))

      /** Stores an agent with a webhook. */
      const given = Effect.fnUntraced(function* (override: Partial<InboundWebhook> = {}) {
        const agent = yield* givenAgent()
        const webhook: InboundWebhook = {
          agentId: agent.id,
          organizationId: agent.organizationId,
          workspaceId: agent.workspaceId,
          tokenHash: hashOf(agent.id),
          verification: "none",
          sealedSecret: null,
          map: null,
          createdAt: BUILT_AT,
          lastReceivedAt: null,
          deletedAt: null,
          ...override
        }
        yield* put(webhook)
        return webhook
      })

      it.effect("gives back a webhook as it was written, by its agent and by its token", () =>
        Effect.gen(function* () {
          const store = yield* InboundWebhookStore
          const plain = yield* given()
          const signed = yield* given({
            verification: "stripe",
            sealedSecret: "sealed",
            map: { "a b": "/data/object", "": "" },
            lastReceivedAt: at(1)
          })
          for (const webhook of [plain, signed]) {
            assert.deepStrictEqual(yield* store.ofAgents(webhook.workspaceId, [webhook.agentId]), [webhook])
            assert.deepStrictEqual(yield* store.findByToken(webhook.agentId, webhook.tokenHash), webhook)
            assert.deepStrictEqual(yield* atomic(store.holdByToken(webhook.agentId, webhook.tokenHash)), webhook)
          }
        })
      )

      it.effect("finds no webhook by another token, of another agent, or in another workspace", () =>
        Effect.gen(function* () {
          const store = yield* InboundWebhookStore
          const [mine, theirs] = [yield* given(), yield* given()]
          for (const [agentId, tokenHash] of [
            [mine.agentId, theirs.tokenHash],
            [theirs.agentId, mine.tokenHash],
            [anId(AgentId), mine.tokenHash]
          ] as const) {
            assert.isUndefined(yield* store.findByToken(agentId, tokenHash))
            assert.isUndefined(yield* atomic(store.holdByToken(agentId, tokenHash)))
          }
          assert.isEmpty(yield* store.ofAgents(theirs.workspaceId, [mine.agentId]))
          assert.isEmpty(yield* store.ofAgents(mine.workspaceId, []))
        })
      )

      it.effect("knows the token of the last webhook of an agent only", () =>
        Effect.gen(function* () {
          const store = yield* InboundWebhookStore
          const first = yield* given({ lastReceivedAt: at(1) })
          const second = { ...first, tokenHash: hashOf("another"), createdAt: at(2), lastReceivedAt: null }
          yield* put(second)
          assert.isUndefined(yield* store.findByToken(first.agentId, first.tokenHash))
          assert.deepStrictEqual(yield* store.findByToken(first.agentId, second.tokenHash), second)
          assert.deepStrictEqual(yield* store.ofAgents(first.workspaceId, [first.agentId]), [second])
        })
      )

      it.effect("knows a deleted webhook by its agent, and not by its token", () =>
        Effect.gen(function* () {
          const store = yield* InboundWebhookStore
          const webhook = yield* given()
          const after = InboundWebhook.deleted(webhook, at(3))
          yield* put(after)
          assert.deepStrictEqual(yield* store.ofAgents(webhook.workspaceId, [webhook.agentId]), [after])
          assert.isUndefined(yield* store.findByToken(webhook.agentId, webhook.tokenHash))
          assert.isUndefined(yield* atomic(store.holdByToken(webhook.agentId, webhook.tokenHash)))
        })
      )

      it.effect("moves the time of the last receipt forwards, for the webhook that received it", () =>
        Effect.gen(function* () {
          const store = yield* InboundWebhookStore
          const { agentId, tokenHash, workspaceId } = yield* given()
          const received = (hash: string, seconds: number) =>
            Effect.gen(function* () {
              yield* atomic(store.noteReceived(agentId, hash, at(seconds)))
              const [found] = yield* store.ofAgents(workspaceId, [agentId])
              return found?.lastReceivedAt ?? null
            })
          assert.isNull(yield* received(hashOf("another"), 9))
          assert.deepStrictEqual(yield* received(tokenHash, 5), at(5))
          assert.deepStrictEqual(yield* received(tokenHash, 4), at(5))
          assert.deepStrictEqual(yield* received(tokenHash, 6), at(6))
        })
      )

      it.effect("lets nothing come of a webhook that was held once its deletion is committed", () =>
        Effect.gen(function* () {
          const store = yield* InboundWebhookStore
          const webhook = yield* given()
          const holding = yield* Deferred.make<void>()
          const done: Array<string> = []
          const holder = yield* Effect.forkChild(
            atomic(
              Effect.gen(function* () {
                assert.isDefined(yield* store.holdByToken(webhook.agentId, webhook.tokenHash))
                yield* Deferred.succeed(holding, undefined)
                // These reads take longer than a deletion that does not wait.
                const ask = store.findByToken(webhook.agentId, webhook.tokenHash)
                yield* Effect.forEach(Array.from({ length: 50 }), () => ask, { discard: true })
                done.push("received")
              })
            )
          )
          yield* Deferred.await(holding)
          yield* put(InboundWebhook.deleted(webhook, at(3)))
          done.push("deleted")
          yield* Fiber.join(holder)
          assert.deepStrictEqual(done, ["received", "deleted"])
        })
      )

      const signed = (override: Partial<InboundWebhook> = {}) =>
        given({ verification: "github", sealedSecret: "v1.k1.secret", ...override })

      it.effect("walks the secrets of every tenant's webhooks in one order, without those that are deleted", () =>
        Effect.gen(function* () {
          const store = yield* InboundWebhookStore
          const webhooks = [yield* signed(), yield* signed(), yield* signed(), yield* signed()]
          const without = [yield* signed({ deletedAt: at(3) }), yield* given()]
          const all = yield* store.sealedSecrets(undefined, 1_000_000)
          const walked: Array<(typeof all)[number]> = []
          for (let next = yield* store.sealedSecrets(undefined, 3); next.length > 0; ) {
            walked.push(...next)
            yield* atomic(Effect.forEach(next, (value) => store.replaceSealedSecret(value, "v1.k2.new")))
            next = yield* store.sealedSecrets(next.at(-1)?.position, 3)
          }
          assert.deepStrictEqual(walked, [...all])
          assert.strictEqual(new Set(all.map(({ position }) => position)).size, all.length)
          const sealedOf = (webhook: InboundWebhook) =>
            all.filter(({ place }) => place === webhookSecretPlace(webhook)).map(({ sealed }) => sealed)
          for (const webhook of webhooks) assert.deepStrictEqual(sealedOf(webhook), ["v1.k1.secret"])
          for (const webhook of without) {
            assert.isEmpty(sealedOf(webhook))
            assert.deepStrictEqual(yield* store.ofAgents(webhook.workspaceId, [webhook.agentId]), [webhook])
          }
        })
      )

      it.effect("puts a secret in the place of the one that was read, unless the webhook is deleted", () =>
        Effect.gen(function* () {
          const store = yield* InboundWebhookStore
          const [webhook, other] = [yield* signed(), yield* signed()]
          const all = yield* store.sealedSecrets(undefined, 1_000_000)
          const value = all.find(({ place }) => place === webhookSecretPlace(webhook))!
          const replace = (sealed: string, resealed: string) =>
            atomic(store.replaceSealedSecret({ ...value, sealed }, resealed))
          const kept = Effect.map(store.ofAgents(webhook.workspaceId, [webhook.agentId]), ([found]) => found)
          assert.isFalse(yield* replace("v1.k0.old", "v1.k2.no"))
          yield* Effect.exit(atomic(Effect.andThen(store.replaceSealedSecret(value, "v1.k2.no"), Effect.fail("no"))))
          assert.deepStrictEqual(yield* kept, webhook)
          assert.isTrue(yield* replace("v1.k1.secret", "v1.k2.new"))
          assert.isFalse(yield* replace("v1.k1.secret", "v1.k3.no"))
          assert.deepStrictEqual(yield* kept, { ...webhook, sealedSecret: "v1.k2.new" })
          const after = InboundWebhook.deleted({ ...webhook, sealedSecret: "v1.k2.new" }, at(3))
          yield* put(after)
          assert.isFalse(yield* replace("v1.k2.new", "v1.k3.no"))
          assert.deepStrictEqual(yield* kept, after)
          assert.deepStrictEqual(yield* store.ofAgents(other.workspaceId, [other.agentId]), [other])
        })
      )
    })
  })
