/** Stores below temporary keys that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { ApiKeyStore, LoginStore } from "@agent-platform/keys"
import { temporaryKeysContract } from "@agent-platform/keys/testing"
import { DateTime, Effect, Layer } from "effect"
import { faultsOf } from "../../kernel/test/faultsOf.ts"
import { ports, services } from "./support.ts"

const suite = (name: string, layer: typeof ports) => temporaryKeysContract(name, Layer.provideMerge(services, layer))

const keyFault = faultsOf(ApiKeyStore, ports, suite)
const loginFault = faultsOf(LoginStore, ports, suite)

const OF_KEYS = [
  "ends on the next request once the key that made it is refused or lacks the scope",
  "is accepted from the present networks of the key that made it"
]
const FORGOTTEN = "is forgotten a day after it expired"

keyFault(
  "a store that answers makers as they were",
  (store) => {
    const makers = new Map<string, Effect.Success<ReturnType<typeof store.findMaker>>>()
    return {
      findMaker: (organizationId, id) =>
        makers.has(id)
          ? Effect.succeed(makers.get(id))
          : Effect.tap(store.findMaker(organizationId, id), (maker) => Effect.sync(() => void makers.set(id, maker)))
    }
  },
  OF_KEYS
)

loginFault(
  "a store that answers sessions as they were",
  (store) => {
    const sessions = new Map<string, Effect.Success<ReturnType<typeof store.find>>>()
    return {
      find: (organizationId, id, workspaceId) =>
        sessions.has(id)
          ? Effect.succeed(sessions.get(id))
          : Effect.tap(store.find(organizationId, id, workspaceId), (one) =>
              Effect.sync(() => void sessions.set(id, one))
            )
    }
  },
  [
    "ends on the next request once the session that made it does, or the membership",
    "ends when its maker loses the role that gives it, and not when another such role replaces it"
  ]
)

keyFault("a store that keeps temporary keys", () => ({ pruneTemporary: () => Effect.succeed(0) }), [FORGOTTEN])

keyFault(
  "a store that forgets temporary keys too early",
  (store) => ({ pruneTemporary: (expiredBy, max) => store.pruneTemporary(DateTime.add(expiredBy, { hours: 2 }), max) }),
  [FORGOTTEN]
)
