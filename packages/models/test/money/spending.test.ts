/** Runs that chat with providers that end their answers in every way, over the ledger in memory. */
import { spendingSuite } from "./spendingSuite.ts"

spendingSuite("the money of runs, whatever their providers do", {}, { runs: 60 })
