/** A way to break a store of runs on purpose. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { layer as stores } from "@agent-platform/runs/memory"
import { runStoreContract } from "@agent-platform/runs/testing"
import { Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"
import { breakRuns, type Runs } from "./breakRuns.ts"

export type { Runs } from "./breakRuns.ts"

/** Every port of runs in memory, for tenants that nobody founded. */
export const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

/** Runs with what is broken in place of what it stands for. */
export const brokenRuns = (broken: (store: Runs) => Partial<Runs>) => Layer.provideMerge(breakRuns(broken), memory)

/** A fault of the store, which the suite must catch by these cases. */
export const runFault = (fault: string, broken: (store: Runs) => Partial<Runs>, caughtBy: ReadonlyArray<string>) =>
  bite(fault, () => runStoreContract("a broken store", brokenRuns(broken)), caughtBy)
