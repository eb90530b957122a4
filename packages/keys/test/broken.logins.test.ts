/** Stores of logins that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { LoginStore } from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { loginStoreContract } from "@agent-platform/keys/testing"
import { DateTime, Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Logins = LoginStore["Service"]

const memory = Layer.provideMerge(stores, kernel)

const loginFault = (fault: string, broken: (store: Logins) => Partial<Logins>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    LoginStore,
    LoginStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  )
  bite(fault, () => loginStoreContract("a broken store", Layer.provideMerge(layer, memory)), caughtBy)
}

loginFault(
  "a store that leaves an attempt where it was",
  (store) => {
    const kept = new Map<string, Parameters<Logins["insertAttempt"]>[1]>()
    return {
      insertAttempt: (hash, attempt) => {
        kept.set(hash, attempt)
        return store.insertAttempt(hash, attempt)
      },
      takeAttempt: (hash) => Effect.map(store.takeAttempt(hash), () => kept.get(hash))
    }
  },
  [
    "gives an attempt back exactly as it was inserted, once",
    "gives an attempt to one of twenty who come at once",
    "prunes the attempts whose time is over, and no other"
  ]
)

loginFault(
  "a store that looks at an attempt first and removes it later",
  (store) => {
    const kept = new Map<string, Parameters<Logins["insertAttempt"]>[1]>()
    return {
      insertAttempt: (hash, attempt) => {
        kept.set(hash, attempt)
        return store.insertAttempt(hash, attempt)
      },
      takeAttempt: Effect.fnUntraced(function* (hash) {
        const attempt = kept.get(hash)
        yield* store.takeAttempt(hash)
        kept.delete(hash)
        return attempt
      })
    }
  },
  [
    "keeps an attempt that was taken in a transaction which fails",
    "prunes the attempts whose time is over, and no other"
  ]
)

loginFault(
  "a store that opens sessions for people who are gone",
  (store) => ({ insert: (session, hash) => Effect.as(store.insert(session, hash), true) }),
  ["opens none for a member who was removed meanwhile, in either order"]
)

loginFault(
  "a store that counts logins which have expired",
  (store) => ({ holdAttempts: (network) => store.holdAttempts(network, DateTime.makeUnsafe(0)) }),
  ["counts the attempts of one network that have not expired, and knows when the first of them does"]
)

loginFault(
  "a store that counts no logins",
  () => ({ holdAttempts: () => Effect.succeed({ count: 0, firstExpiresAt: null }) }),
  [
    "counts the attempts of one network that have not expired, and knows when the first of them does",
    "lets five of twenty who begin at once from one network begin, where five is what they may"
  ]
)

loginFault(
  "a store that takes every workspace for one of the organization",
  (store) => ({
    findByHash: (hash, workspaceId) =>
      Effect.map(
        store.findByHash(hash, workspaceId),
        (found) => found && { ...found, workspaceFound: workspaceId !== undefined }
      )
  }),
  [
    "answers the person's part in the workspace asked for, and whose workspace it is",
    "finds by its id what its secret finds, in its organization alone",
    "holds the session with this id as it finds it by its hash, and nobody else's"
  ]
)

loginFault(
  "a store that holds sessions without their part in the workspace",
  (store) => ({ hold: (organizationId, id) => store.hold(organizationId, id, undefined) }),
  ["holds the session with this id as it finds it by its hash, and nobody else's"]
)

loginFault(
  "a store that finds the sessions of people who are no members any more",
  (store) => {
    const found = new Map<string, Effect.Success<ReturnType<Logins["findByHash"]>>>()
    return {
      findByHash: (hash, workspaceId) =>
        Effect.map(store.findByHash(hash, workspaceId), (now) => now ?? found.get(hash)),
      insert: (session, hash) =>
        Effect.tap(store.insert(session, hash), () =>
          Effect.map(store.findByHash(hash, undefined), (now) => void found.set(hash, now))
        )
    }
  },
  [
    "lets nobody revoke a session that is held, nor remove or change its member",
    "does not find the session of somebody who is no member any more, nor when they are invited again",
    "prunes the sessions that have reached their greatest age, and no other"
  ]
)

loginFault(
  "a store that notes every use",
  (store) => ({ noteUse: (id, at) => store.noteUse(id, at, DateTime.add(at, { days: 1 })) }),
  ["notes a use unless one is noted since"]
)

loginFault(
  "a store that lets anybody revoke a session",
  (store) => {
    const owners = new Map<string, Parameters<Logins["revoke"]>[0]>()
    return {
      insert: (session, hash) => {
        owners.set(session.id, session.userId)
        return store.insert(session, hash)
      },
      revoke: (userId, id, at) => store.revoke(owners.get(id) ?? userId, id, at)
    }
  },
  ["revokes a session once, for the person whose it is and for nobody else"]
)

loginFault(
  "a store that claims every revocation for the one that revoked",
  (store) => ({
    revoke: (userId, id, at) =>
      Effect.map(store.revoke(userId, id, at), (revoked) => revoked && { ...revoked, changed: true })
  }),
  [
    "revokes a session once, for the person whose it is and for nobody else",
    "lets one of twenty revocations at once be the one that revoked"
  ]
)

loginFault(
  "a store that lists sessions whatever the clock says",
  (store) => ({ list: (userId, now, page) => store.list(userId, DateTime.subtract(now, { days: 1 }), page) }),
  ["lists the person's open sessions in every organization, newest first, page by page"]
)
