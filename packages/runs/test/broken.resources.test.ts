/** Stores that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { AgentStore, InboundWebhookStore, RecordKeyStore, RunReader } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import {
  agentChangesContract,
  agentSecretsContract,
  inboundWebhookStoreContract,
  recordKeyStoreContract,
  runListContract
} from "@agent-platform/runs/testing"
import { type Context, Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

/** Everything in memory, with some methods of one store replaced. */
const breaking = <Self, Store extends object>(
  port: Context.Service<Self, Store>,
  broken: (store: Store) => Partial<Store>
) =>
  Layer.provideMerge(
    Layer.effect(
      port,
      Effect.map(port, (store) => ({ ...store, ...broken(store) }))
    ),
    Layer.fresh(memory)
  )

bite(
  "a store that finds archived agents",
  () =>
    agentChangesContract(
      "a broken store",
      breaking(AgentStore, ({ recall }) => ({ find: recall }))
    ),
  ["leaves an archived agent out of lists and findings, and recalls it"]
)

bite("a store that changes an agent outside of the transaction's fate", () => {
  const names = new Map<string, string>()
  return agentChangesContract(
    "a broken store",
    breaking(AgentStore, (store) => ({
      update: (agent) => {
        names.set(agent.id, agent.name)
        return store.update(agent)
      },
      find: (workspaceId, id) =>
        Effect.map(store.find(workspaceId, id), (agent) => agent && { ...agent, name: names.get(id) ?? agent.name })
    }))
  )
}, ["changes nothing of a transaction that fails"])

bite(
  "a store that replaces whatever an agent has sealed",
  () =>
    agentSecretsContract(
      "a broken store",
      breaking(AgentStore, (store) => ({
        replaceSealedSecret: (value, resealed) =>
          Effect.flatMap(store.sealedSecrets(undefined, 1_000_000), (found) => {
            const there = found.find(({ position }) => position === value.position)
            return there === undefined ? Effect.succeed(false) : store.replaceSealedSecret(there, resealed)
          })
      }))
    ),
  ["puts a value in the place of the one that was read, and changes nothing else of the agent"]
)

bite(
  "a store that forgets the headers of servers",
  () =>
    agentSecretsContract(
      "a broken store",
      breaking(AgentStore, (store) => ({
        sealedSecrets: (after, limit) =>
          Effect.map(store.sealedSecrets(after, 1_000_000), (found) =>
            found.filter(({ place }) => place.endsWith("/endpoint_secret")).slice(0, limit)
          )
      }))
    ),
  [
    "knows an agent's endpoint secret and the headers of each server, of every tenant, archived or not",
    "puts a value in the place of the one that was read, and changes nothing else of the agent"
  ]
)

bite("a store that looks for a webhook by its agent alone", () => {
  const hashes = new Map<string, string>()
  return inboundWebhookStoreContract(
    "a broken store",
    breaking(InboundWebhookStore, (store) => ({
      put: (webhook) => {
        hashes.set(webhook.agentId, webhook.tokenHash)
        return store.put(webhook)
      },
      findByToken: (agentId, tokenHash) => store.findByToken(agentId, hashes.get(agentId) ?? tokenHash)
    }))
  )
}, [
  "finds no webhook by another token, of another agent, or in another workspace",
  "knows the token of the last webhook of an agent only"
])

bite(
  "a store that forgets when a webhook was deleted",
  () =>
    inboundWebhookStoreContract(
      "a broken store",
      breaking(InboundWebhookStore, (store) => ({ put: (webhook) => store.put({ ...webhook, deletedAt: null }) }))
    ),
  [
    "knows a deleted webhook by its agent, and not by its token",
    "walks the secrets of every tenant's webhooks in one order, without those that are deleted",
    "puts a secret in the place of the one that was read, unless the webhook is deleted"
  ]
)

bite(
  "a store that notes no receipt",
  () =>
    inboundWebhookStoreContract(
      "a broken store",
      breaking(InboundWebhookStore, () => ({ noteReceived: () => Effect.void }))
    ),
  ["moves the time of the last receipt forwards, for the webhook that received it"]
)

bite(
  "a store that replaces whatever secret a webhook has",
  () =>
    inboundWebhookStoreContract(
      "a broken store",
      breaking(InboundWebhookStore, (store) => ({
        replaceSealedSecret: (value, resealed) =>
          Effect.flatMap(store.sealedSecrets(undefined, 1_000_000), (found) => {
            const there = found.find(({ position }) => position === value.position)
            return there === undefined ? Effect.succeed(false) : store.replaceSealedSecret(there, resealed)
          })
      }))
    ),
  ["puts a secret in the place of the one that was read, unless the webhook is deleted"]
)

bite(
  "a store of keys that replaces whatever private key is there",
  () =>
    recordKeyStoreContract(
      "a broken store",
      breaking(RecordKeyStore, (store) => ({
        replaceSealedPrivateKey: (value, resealed) =>
          Effect.flatMap(store.sealedPrivateKeys(undefined, 1_000_000), (found) => {
            const there = found.find(({ position }) => position === value.position)
            return there === undefined ? Effect.succeed(false) : store.replaceSealedPrivateKey(there, resealed)
          })
      }))
    ),
  ["walks every private key in one order, and puts another in the place of the one that was read"]
)

bite(
  "a store of keys that shows the newest alone",
  () =>
    recordKeyStoreContract(
      "a broken store",
      breaking(RecordKeyStore, (store) => ({ list: Effect.map(store.list, (keys) => keys.slice(0, 1)) }))
    ),
  [
    "has one key that signs, and keeps those before it with the time when they were retired",
    "makes one key however many find none and make one at once",
    "walks every private key in one order, and puts another in the place of the one that was read"
  ]
)

bite(
  "a store whose lists begin anew",
  () =>
    runListContract(
      "a broken store",
      breaking(RunReader, (store) => ({
        list: (workspaceId, filter, page) => store.list(workspaceId, filter, { ...page, before: undefined })
      }))
    ),
  [
    "goes on page by page while others are being triggered, at the same moment too",
    "pages on under a filter",
    "lists the runs whose question waits: neither answered nor cancelled"
  ]
)

bite(
  "a store whose openings are whole messages",
  () =>
    runListContract(
      "a broken store",
      breaking(RunReader, (store) => ({
        openings: (workspaceId, filter, page) =>
          Effect.map(store.list(workspaceId, filter, page), ({ items, next }) => ({
            items: items.map(({ createdAt, id, prompt, sessionId }) => ({ createdAt, id, sessionId, opening: prompt })),
            next
          }))
      }))
    ),
  ["shows the openings of a page's runs: their ids, and the first characters of what each was triggered with"]
)

bite(
  "a store that takes the filter for advice",
  () =>
    runListContract(
      "a broken store",
      breaking(RunReader, (store) => ({ list: (workspaceId, _, page) => store.list(workspaceId, {}, page) }))
    ),
  [
    "lets each filter through what it means, and their combination",
    "finds nothing under another workspace's agent or session",
    "pages on under a filter",
    "lists the runs whose question waits: neither answered nor cancelled"
  ]
)
