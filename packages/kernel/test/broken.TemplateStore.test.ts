/** Stores of templates that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { TemplateStore } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants, templateStoreContract } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { bite } from "./bite.ts"

type Store = TemplateStore["Service"]

const memory = Layer.merge(kernel, Tenants.layerUnfounded)

const fault = (name: string, broken: (store: Store) => Partial<Store>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    TemplateStore,
    TemplateStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  )
  bite(name, () => templateStoreContract("a broken store", Layer.provideMerge(layer, memory)), caughtBy)
}

fault(
  "a store that keeps the value that was replaced",
  (store) => ({ update: (one) => store.update(one, undefined) }),
  ["writes settings, versions, time and spread of a change, and a value only where there is one"]
)

fault(
  "a store that lists parts from the beginning each time",
  (store) => ({ members: (organizationId, id, _, limit) => store.members(organizationId, id, undefined, limit) }),
  ["keeps the parts of workspaces, finds them by template and by row, and lists them in order"]
)

fault("a store that removes nothing", () => ({ remove: () => Effect.void }), [
  "removes a template with the parts of its workspaces, and no other"
])

fault(
  "a store that counts without a bound",
  (store) => ({ holdCount: (organizationId) => store.holdCount(organizationId, 1_000) }),
  ["lists the organization's templates newest first, page by page, and counts them up to a bound"]
)

fault(
  "a store that puts a value in the place of any",
  (store) => ({ replaceSealed: (value, resealed) => store.replaceSealed(value, resealed).pipe(Effect.as(true)) }),
  ["walks the values of every organization, and puts one in the place of the one that was read"]
)
