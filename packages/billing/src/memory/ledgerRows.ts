import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import type { LedgerEntry } from "../LedgerEntry.ts"

/** The ledger of a `MemoryDatabase`, in the order in which calls were settled; a row is put once, under `workspace/call`. */
export const ledgerRows = Effect.map(MemoryDatabase, (database) => database.table<LedgerEntry>("model_call"))
