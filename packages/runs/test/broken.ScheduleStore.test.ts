/** Stores of schedules that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { ScheduleStore } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { scheduleStoreContract } from "@agent-platform/runs/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Store = ScheduleStore["Service"]

const replaced = (broken: (store: Store) => Partial<Store>) =>
  Layer.effect(
    ScheduleStore,
    Effect.map(ScheduleStore, (store) => ({ ...store, ...broken(store) }))
  )

/** The suite of stores over memory, with some methods replaced. */
const breaking = (broken: (store: Store) => Partial<Store>) => () =>
  scheduleStoreContract(
    "a broken store",
    Layer.provideMerge(
      replaced(broken),
      Layer.fresh(Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded))
    )
  )

bite(
  "a store that lists the schedules of every agent",
  breaking((store) => ({ list: (workspaceId, _, page) => store.list(workspaceId, {}, page) })),
  ["lists the workspace's schedules, newest first, page by page, also those of one agent alone"]
)

bite(
  "a store that forgets why a time made no run",
  breaking((store) => ({
    update: (schedules) => store.update(schedules.map((schedule) => ({ ...schedule, lastError: null })))
  })),
  ["writes what has changed of several, and nothing of another workspace"]
)

bite(
  "a store that removes without a trace",
  breaking((store) => ({ remove: (workspaceId, id) => Effect.as(store.remove(workspaceId, id), undefined) })),
  ["removes a schedule and says what it was"]
)

bite(
  "a store that counts without a bound",
  breaking((store) => ({ holdCount: (workspaceId) => store.holdCount(workspaceId, 1_000) })),
  ["counts a workspace's schedules up to a bound, while nobody else counts them"]
)

bite(
  "a store that holds paused schedules of an agent",
  breaking((store) => ({
    holdOfAgent: (workspaceId, agentId) =>
      Effect.map(store.list(workspaceId, { agentId }, { limit: 100, before: undefined }), ({ items }) => items)
  })),
  ["holds the enabled schedules of an agent alone"]
)

bite(
  "a store that begins every page of due workspaces anew",
  breaking((store) => ({
    dueWorkspaces: (query) =>
      Effect.map(store.dueWorkspaces({ ...query, after: undefined }), (places) =>
        query.after === undefined ? places : places.slice(0, 0)
      )
  })),
  ["finds the workspaces that are due, once each and in their order, page by page"]
)

bite(
  "a store that holds schedules in the order of their creation",
  breaking((store) => ({
    holdDue: (query) =>
      Effect.map(store.holdDue({ ...query, max: 1_000 }), (due) =>
        due.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, query.max)
      )
  })),
  ["holds those of a workspace that are due, first those that wait longest"]
)
