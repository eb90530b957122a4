/** Counters of outcomes that are broken on purpose: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { RunOutcomes } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { runOutcomesContract } from "@agent-platform/runs/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Outcomes = RunOutcomes["Service"]

const breaking = (broken: (outcomes: Outcomes) => Outcomes) =>
  Layer.provideMerge(
    Layer.effect(RunOutcomes, Effect.map(RunOutcomes, broken)),
    Layer.fresh(Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded))
  )

const ONCE = "counts every run that ended, once, however small the portions are"
const NOTHING = "counts no runs that wait, run, were handed back, or whose end was rolled back"

bite(
  "counting a run that paused as one that succeeded, too",
  () =>
    runOutcomesContract(
      "a broken counter",
      breaking(({ countEnded }) => ({
        countEnded: (request) =>
          Effect.map(countEnded(request), (portion) => ({
            ...portion,
            cells: portion.cells.map((cell) => ({ ...cell, succeeded: cell.succeeded + cell.paused }))
          }))
      }))
    ),
  [ONCE]
)

bite(
  "taking a portion that is full for the last one",
  () =>
    runOutcomesContract(
      "a broken counter",
      breaking(({ countEnded }) => ({
        countEnded: (request) => Effect.map(countEnded(request), (portion) => ({ ...portion, reached: request.before }))
      }))
    ),
  [ONCE]
)

bite(
  "forgetting the run that ended last",
  () =>
    runOutcomesContract(
      "a broken counter",
      breaking(({ countEnded }) => ({
        countEnded: (request) =>
          Effect.map(countEnded(request), (portion) =>
            request.after === undefined ? portion : { ...portion, cells: [] }
          )
      }))
    ),
  [ONCE, NOTHING]
)
