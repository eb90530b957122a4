/** Stores that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import type { OrganizationId } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { type ApiKey, ApiKeyStore, type KeyOwner, TenancyStore } from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { apiKeyStoreContract, tenancyStoreContract } from "@agent-platform/keys/testing"
import { DateTime, Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type ApiKeys = ApiKeyStore["Service"]

const memory = Layer.provideMerge(stores, kernel)

const keyFault = (fault: string, broken: (store: ApiKeys) => Partial<ApiKeys>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    ApiKeyStore,
    ApiKeyStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  )
  bite(fault, () => apiKeyStoreContract("a broken store", Layer.provideMerge(layer, memory)), caughtBy)
}

const ownerOf = ({ organizationId, workspaceId }: ApiKey): KeyOwner => ({ organizationId, workspaceId })

keyFault(
  "a store that looks for keys by their id alone",
  (store) => {
    const owners = new Map<string, KeyOwner>()
    return {
      insert: (key, hash) => {
        owners.set(key.id, ownerOf(key))
        return store.insert(key, hash)
      },
      find: (owner, id) => store.find(owners.get(id) ?? owner, id),
      revoke: (owner, id, at) => store.revoke(owners.get(id) ?? owner, id, at)
    }
  },
  ["finds a key for its owner and for nobody else", "lets nobody but its owner revoke a key"]
)

keyFault(
  "a store that revokes a revoked key again",
  (store) => ({
    revoke: (owner, id, at) =>
      Effect.map(
        store.revoke(owner, id, at),
        (found) => found && { key: { ...found.key, revokedAt: at }, isFirst: true }
      )
  }),
  [
    "leaves a revoked key as it is when it is revoked again",
    "lets twenty revocations at once agree on one time, and on who was first"
  ]
)

keyFault(
  "a store that forgets which expiries were warned of",
  (store) => {
    const warned = new Map<string, ApiKey>()
    return {
      takeExpiring: (window, max) =>
        Effect.map(store.takeExpiring(window, max), (keys) => {
          for (const key of keys) warned.set(key.id, key)
          return [...warned.values()].slice(0, max)
        })
    }
  },
  [
    "takes keys that expire within the window, and each of them once",
    "takes a key again once it expires at another time",
    "gives each key to one of several who take at once, and no more than they ask for"
  ]
)

keyFault(
  "a store that believes in every workspace",
  (store) => ({
    findByHash: (hash, workspaceId) =>
      Effect.map(store.findByHash(hash, workspaceId), (found) => found && { ...found, workspaceFound: true })
  }),
  ["answers whether a workspace is one of the key's organization"]
)

keyFault(
  "a store that keeps times in whole seconds",
  (store) => ({
    insert: (key, hash) => store.insert({ ...key, createdAt: DateTime.startOf(key.createdAt, "second") }, hash)
  }),
  [
    "gives back a key exactly as it was inserted",
    "finds a key for its owner and for nobody else",
    "lists the keys of the organization itself without those of its workspaces",
    "changes no version but the one before, and no unknown key",
    "changes nobody else's key",
    "holds keys of one organization, of any owner, as they are by then",
    "gives a key a successor in the same transaction",
    "keeps nothing of a change whose transaction fails",
    "shows a revocation to the very next look-up",
    "lets nobody but its owner revoke a key",
    "keeps nothing of a revocation whose transaction fails",
    "revokes what a key has made, what that has made, and so on, of any owner, and nothing else",
    "knows nothing of descendants under another organization, nor of those of an unknown key",
    "keeps nothing of a revocation of descendants whose transaction fails",
    "gives back what a temporary key is bound to, and what it reads",
    "notes the uses of several keys at once, and changes nothing else of them"
  ]
)

keyFault(
  "a store that replaces whatever version there is",
  (store) => ({
    replace: (key) =>
      Effect.gen(function* () {
        const found = yield* store.find(key, key.id)
        return found !== undefined && (yield* store.replace({ ...key, version: found.version + 1 }))
      })
  }),
  [
    "changes no version but the one before, and no unknown key",
    "lets one of twenty who change the same version do it",
    "takes back neither a revocation nor the last use"
  ]
)

keyFault(
  "a store that looks for what it replaces by the id alone",
  (store) => {
    const owners = new Map<string, KeyOwner>()
    return {
      insert: (key, hash) => {
        owners.set(key.id, ownerOf(key))
        return store.insert(key, hash)
      },
      replace: (key) => store.replace({ ...key, ...owners.get(key.id) })
    }
  },
  ["changes nobody else's key"]
)

keyFault(
  "a store that does not keep the successor of a key",
  (store) => ({ replace: (key) => store.replace({ ...key, replacedBy: null }) }),
  [
    "gives a key a successor in the same transaction",
    "passes over keys that cannot be used, that are being replaced, and that were made for a short time"
  ]
)

keyFault(
  "a store that takes an admin's key for an owner's",
  (store) => ({
    insert: (key, hash) => store.insert({ ...key, organizationRole: key.organizationRole && "owner" }, hash)
  }),
  ["gives back a key exactly as it was inserted"]
)

keyFault(
  "a store that revokes what a key has made itself, and no more",
  (store) => {
    const made = new Map<string, Array<ApiKey>>()
    return {
      insert: (key, hash) => {
        made.set(key.createdBy.id, [...(made.get(key.createdBy.id) ?? []), key])
        return store.insert(key, hash)
      },
      revokeDescendants: (organizationId, id, at, max) => {
        const children = (made.get(id) ?? []).filter((key) => key.organizationId === organizationId).slice(0, max)
        return Effect.map(
          Effect.forEach(children, (key) => store.revoke(ownerOf(key), key.id, at)),
          (revoked) => revoked.flatMap((one) => (one?.isFirst === true ? [one.key] : []))
        )
      }
    }
  },
  [
    "revokes what a key has made, what that has made, and so on, of any owner, and nothing else",
    "looks past keys that are revoked already, and leaves their time as it is",
    "takes no temporary key for a descendant of its maker",
    "revokes no more than `max` at once, and goes on with the rest"
  ]
)

keyFault(
  "a store that takes temporary keys for any others",
  (store) => ({
    insert: (key, hash) => store.insert({ ...key, boundTo: null, reads: null }, hash)
  }),
  [
    "gives back what a temporary key is bound to, and what it reads",
    "counts temporary keys apart from the others, the live ones alone",
    "lets five of twenty who create temporary keys at once create them, where five is what the owner may have",
    "lists webhook grants and no browser key",
    "takes no temporary key for a descendant of its maker",
    "warns of no temporary key, and removes those that are over, in portions, and no other key"
  ]
)

keyFault(
  "a store that finds makers in every organization",
  (store) => {
    const owners = new Map<string, KeyOwner>()
    return {
      insert: (key, hash) => {
        owners.set(key.id, ownerOf(key))
        return store.insert(key, hash)
      },
      findMaker: (organizationId, id) => store.findMaker(owners.get(id)?.organizationId ?? organizationId, id)
    }
  },
  ["finds a maker of whatever owner in its organization, and in no other"]
)

keyFault(
  "a store that removes temporary keys before they are over",
  (store) => ({
    pruneTemporary: (expiredBy, max) => store.pruneTemporary(DateTime.add(expiredBy, { seconds: 1 }), max)
  }),
  ["warns of no temporary key, and removes those that are over, in portions, and no other key"]
)

keyFault("a store that notes one use only", (store) => ({ noteUses: (uses) => store.noteUses(uses.slice(0, 1)) }), [
  "notes the uses of several keys at once, and changes nothing else of them",
  "answers a key's first use in its hour to one of twenty who note it, and its next in that hour to none"
])

keyFault(
  "a store that notes every use",
  (store) => {
    const early = DateTime.makeUnsafe("2020-01-01T00:00:00.000Z")
    const noted = new Map<string, DateTime.Utc>()
    const withUse = (key: ApiKey | undefined) => key && { ...key, lastUsedAt: noted.get(key.id) ?? key.lastUsedAt }
    return {
      find: (owner, id) => Effect.map(store.find(owner, id), withUse),
      noteUses: (uses) => {
        for (const { at, id } of uses) noted.set(id, at)
        return store.noteUses(uses.map((use) => ({ ...use, at: early })))
      }
    }
  },
  [
    "keeps times apart, and never goes back",
    "notes one of twenty uses in the same minute",
    "answers a key's first use in its hour to one of twenty who note it, and its next in that hour to none",
    "notes nothing of a key under another organization",
    "keeps nothing of a use whose transaction fails"
  ]
)

const looksEverywhere = Layer.effect(
  TenancyStore,
  TenancyStore.use((store) => {
    const owners = new Map<string, OrganizationId>()
    return Effect.succeed(
      TenancyStore.of({
        ...store,
        insertWorkspace: (workspace) => {
          owners.set(workspace.id, workspace.organizationId)
          return store.insertWorkspace(workspace)
        },
        findWorkspace: (organizationId, workspaceId) =>
          store.findWorkspace(owners.get(workspaceId) ?? organizationId, workspaceId)
      })
    )
  })
)

bite(
  "a store that looks for workspaces by their id alone",
  () => tenancyStoreContract("a broken store", Layer.provideMerge(looksEverywhere, memory)),
  ["finds no workspace of another organization, and no unknown one"]
)
